
# What cargo runs, and `cargo robust`; all else below `cargo` is left to the completion that was there before.
complete -F _cargo_robust -o bashdefault -o default cargo-robust
_cargo_robust_below_cargo() {
    if [[ ${COMP_WORDS[1]} == robust && $COMP_CWORD -gt 1 ]]; then
        COMP_WORDS=(cargo-robust "${COMP_WORDS[@]:2}")
        COMP_CWORD=$((COMP_CWORD - 1))
        _cargo_robust cargo-robust "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    elif [[ -n $_cargo_before_robust ]]; then
        "$_cargo_before_robust" "$@"
    fi
}
if [[ $(complete -p cargo 2>/dev/null) =~ -F\ ([^ ]+) && ${BASH_REMATCH[1]} != _cargo_robust_below_cargo ]]; then
    _cargo_before_robust=${BASH_REMATCH[1]}
elif declare -F _cargo >/dev/null; then
    _cargo_before_robust=_cargo
fi
complete -F _cargo_robust_below_cargo -o bashdefault -o default cargo
