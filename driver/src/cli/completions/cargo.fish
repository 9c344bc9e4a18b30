
# `cargo robust`: as `cargo-robust`.
function __fish_cargo_robust_below_cargo
    set -l words (commandline -opc) (commandline -ct)
    complete -C "cargo-robust "(string join -- ' ' $words[3..-1])
end
complete -c cargo -n '__fish_seen_subcommand_from robust' -f -a '(__fish_cargo_robust_below_cargo)'
