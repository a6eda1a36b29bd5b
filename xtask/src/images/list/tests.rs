use super::*;

fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn changed(change: impl Fn(&mut List)) -> anyhow::Result<()> {
    let mut list = List::read(&repository())?;
    change(&mut list);
    list.expand();
    list.validate()
}

#[test]
fn the_committed_list_is_sound() {
    let list = List::read(&repository()).unwrap();
    assert!(list.rows().len() >= 60);
    for row in list.rows() {
        assert!(repository().join(list.folder(row)).is_dir(), "{}", row.name());
    }
}

#[test]
fn contradictions_are_refused() {
    assert!(changed(|_| ()).is_ok());
    assert!(changed(|list| list.schema = SCHEMA - 1).is_err());
    assert!(changed(|list| drop(list.core.remove("m0plus"))).is_err());
    assert!(changed(|list| list.images.push(list.images[0].clone())).is_err());
    assert!(changed(|list| list.images[0].contender = "nobody".into()).is_err());
    assert!(changed(|list| list.images[0].boards[0] = "breadboard".into()).is_err());
    assert!(changed(|list| list.images[0].opts[0] = "4".into()).is_err());
    assert!(changed(|list| list.images[0].opts[0] = "z-rv32i".into()).is_err());
    assert!(changed(|list| list.images[0].modes[0] = "two-sliced".into()).is_err());
    assert!(changed(|list| list.images[0].experiment = "thumbs".into()).is_err());
    let button = |list: &mut List, change: fn(&mut Program)| {
        change(list.project.get_mut("embassy").unwrap().program.get_mut("button").unwrap());
    };
    let unknown = |program: &mut Program| program.not_on.extend([("breadboard".into(), "why".into())]);
    assert!(changed(|list| button(list, unknown)).is_err());
    let built = |program: &mut Program| program.not_on.extend([("stm32c031c6".into(), "why".into())]);
    assert!(changed(|list| button(list, built)).is_err());
    let sources = |program: &mut Program| drop(program.board.insert("breadboard".into(), OwnSources::default()));
    assert!(changed(|list| button(list, sources)).is_err());
    let other = |program: &mut Program| program.not_on.extend([("stm32f103c8".into(), "why".into())]);
    assert!(changed(|list| button(list, other)).is_ok());
}

#[test]
fn rows_are_absent_for_a_program_and_for_its_board() {
    let mut list = List::read(&repository()).unwrap();
    let program = list.project.get_mut("embassy").unwrap().program.get_mut("button").unwrap();
    program.absent = BTreeMap::from([("Row".into(), "everywhere".into()), ("Other".into(), "why".into())]);
    program.board_absent = BTreeMap::from([("stm32c031c6".into(), [("Row".into(), "here".into())].into())]);
    let of = |experiment: &str, board: &str| {
        let found = list
            .rows()
            .iter()
            .find(|row| (&*row.contender, &*row.experiment, &*row.board) == ("embassy", experiment, board));
        list.absent_rows(found.unwrap()).into_values().collect::<Vec<_>>()
    };
    assert_eq!(of("button", "stm32c031c6"), ["why", "here"]);
    assert_eq!(of("button", "stm32f446ze"), ["why", "everywhere"]);
    assert!(of("primes", "stm32c031c6").is_empty());
}
