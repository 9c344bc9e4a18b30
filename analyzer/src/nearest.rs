//! The known name that somebody who wrote an unknown one may have meant.

/// The candidate that differs least from a name, if it is near enough to be meant: by a third of its letters at most. The first in
/// alphabetical order where several are.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let limit = (name.chars().count() / 3).max(1);
    let distance = |candidate: &'c str| (strsim::damerau_levenshtein(name, candidate), candidate);
    let near = candidates.into_iter().filter(|candidate| candidate.len().abs_diff(name.len()) <= limit * 4);
    let (_, found) = near.map(distance).filter(|&(distance, _)| 0 < distance && distance <= limit).min()?;
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let known = ["Store::close", "Store::open", "Store::oper"];
        assert_eq!(nearest("Store::opne", known), Some("Store::open"));
        assert_eq!(nearest("Store::flush_all", known), None);
        assert_eq!(nearest("ab", ["xy", "ac"]), Some("ac"));
        assert_eq!(nearest("Store::open", ["Store::open"]), None, "it is no other name");
    }
}
