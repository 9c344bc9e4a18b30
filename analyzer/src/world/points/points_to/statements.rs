//! What a statement makes flow: places, operands and assignments.

use super::*;

impl Flow<'_> {
    pub(super) fn step(&mut self, inst: InstId, index: u32, block: &BasicBlock) {
        let is_dead = |decided: &Decided| decided.dead.contains(&(index as usize));
        if block.cleanup || self.decided.get(&inst).is_some_and(is_dead) {
            return;
        }
        for statement in &block.statements {
            if let StatementKind::Assign(place, rvalue) = &statement.kind {
                self.assign(inst, place, rvalue);
            }
        }
        match &block.terminator.kind {
            TerminatorKind::Call(call) => crate::world::points::calls::call(self, inst, index, call),
            TerminatorKind::Drop { place, .. } if self.code.has_drop => {
                let (locs, ty) = self.place(inst, place);
                let at = drops::At { inst, block: index };
                // What a struct of the crates does when it is dropped it does then, too.
                let has_ended = |ty: &Ty| {
                    let is_struct = matches!(&**ty, TyKind::Path(_)) && self.code.has_fields(ty);
                    !is_struct && at_drop::has_ended(self.models, self.body_of(inst), index)
                };
                let ty = ty.filter(|ty| !has_ended(ty));
                let dropped = ty.map_or(Vec::new(), |ty| drops::of_value(self, at, &locs, &ty));
                if !dropped.is_empty() {
                    self.info(inst, index).drops = dropped;
                }
            }
            _ => {}
        }
    }

    /// The location of a local.
    pub fn local(&mut self, inst: InstId, local: u32) -> LocId {
        let root = Root::Local(inst, local);
        if let Some(id) = self.heap.find(&root) {
            return id;
        }
        let ty = self.local_ty(inst, local);
        self.heap.root(root, || ty)
    }

    /// The type of a local in this instance.
    pub fn local_ty(&self, inst: InstId, local: u32) -> Option<Ty> {
        let decl = self.body_of(inst).locals.get(local as usize)?;
        Some(substitute(&decl.ty, &self.instances[inst.0 as usize].subst))
    }

    /// The type of a place.
    pub fn place_ty(&self, inst: InstId, place: &Place) -> Option<Ty> {
        let mut ty = self.local_ty(inst, place.local.0);
        for step in &place.projection {
            ty = match step {
                Projection::Deref => ty.as_deref().and_then(|ty| self.pointee(ty)),
                Projection::Field(_, field) => {
                    Some(substitute(field, &self.instances[inst.0 as usize].subst))
                }
                Projection::Cast(cast) => Some(cast.clone()),
                Projection::Downcast(_) | Projection::Subslice { .. } => ty,
                Projection::Index(_) | Projection::ConstantIndex { .. } => {
                    ty.as_deref().and_then(|ty| match ty {
                        TyKind::Slice(of) | TyKind::Array(of, _) => Some(of.clone()),
                        _ => None,
                    })
                }
            };
        }
        ty
    }

    /// The locations a place may be, and its type.
    pub fn place(&mut self, inst: InstId, place: &Place) -> (Vec<LocId>, Option<Ty>) {
        self.place_steps(inst, place, &mut |_, _| {})
    }

    /// As [`Self::place`]; `seen` is told the locations that a pointer is read from on the way.
    pub fn place_steps(
        &mut self,
        inst: InstId,
        place: &Place,
        seen: &mut dyn FnMut(&[LocId], bool),
    ) -> (Vec<LocId>, Option<Ty>) {
        let mut locs = vec![self.local(inst, place.local.0)];
        let mut ty = self.local_ty(inst, place.local.0);
        let mut variant = Name::default();
        let mut behind = false;
        let subst = self.subst_of(inst);
        for step in &place.projection {
            match step {
                Projection::Deref => {
                    seen(&locs, behind);
                    behind = true;
                    let mut targets: BTreeSet<LocId> = BTreeSet::new();
                    for loc in &locs {
                        targets.extend(self.heap.get(*loc).points_to.iter());
                    }
                    ty = ty.as_deref().and_then(|ty| self.pointee(ty));
                    // What has no such value in it is no target, whatever it was mixed up with on the way.
                    locs = targets.into_iter().collect();
                    if let Some(ty) = &ty {
                        retain_meant(self, &mut locs, ty);
                    }
                }
                Projection::Field(number, field_ty) => {
                    let field_ty = substitute(field_ty, &subst);
                    if let Some(owner) = ty.as_deref().filter(|ty| self.heap.tells_apart(ty, &field_ty)) {
                        let field = Part::of(owner, (variant.clone(), *number));
                        let mut fields: Vec<LocId> =
                            locs.iter().map(|loc| self.heap.child(*loc, &field, Some(&field_ty))).collect();
                        fields.sort_unstable();
                        fields.dedup();
                        locs = fields;
                    }
                    ty = Some(field_ty);
                }
                Projection::Downcast(name) => {
                    variant = name.clone();
                    continue;
                }
                Projection::Index(_) | Projection::ConstantIndex { .. } => {
                    ty = ty.as_deref().and_then(|ty| match ty {
                        TyKind::Slice(of) | TyKind::Array(of, _) => Some(of.clone()),
                        _ => None,
                    });
                }
                Projection::Subslice { .. } => {}
                Projection::Cast(cast) => ty = Some(substitute(cast, &subst)),
            }
            variant = Name::default();
        }
        (locs, ty)
    }

    /// The locations that hold an operand's value, and its type.
    pub fn operand(&mut self, inst: InstId, operand: &Operand) -> (Vec<LocId>, Option<Ty>) {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.place(inst, place),
            Operand::Const(constant) => {
                let ty = constant.ty.as_ref().map(|ty| substitute(ty, &self.subst_of(inst)));
                (self.constant(inst, constant).into_iter().collect(), ty)
            }
        }
    }

    pub(super) fn constant(&mut self, inst: InstId, constant: &Constant) -> Option<LocId> {
        match &constant.kind {
            ConstKind::Alloc { what: AllocKind::Static(name), .. } => {
                let target = self.static_loc(inst, name, constant);
                let world = self.world_of(inst);
                let holder = self
                    .heap
                    .root(Root::Outside(format!("&{name} {}", target.0), world), || constant.ty.clone());
                self.heap.point(holder, target);
                Some(holder)
            }
            ConstKind::Fn(path) => {
                let path = crate::world::points::types::substitute_path(path, &self.subst_of(inst));
                let ty = constant.ty.clone();
                let holder = self.heap.root(Root::Outside(format!("fn {path}"), 0), || ty);
                self.heap.add_value(holder, Value::Fn(path));
                Some(holder)
            }
            ConstKind::Named(path) => {
                let text = path.to_string();
                let world = self.world_of(inst);
                if let Some((loc, _)) = self.constants.get(&(text.clone(), world)) {
                    return Some(*loc);
                }
                let home = self.home_of(inst);
                // The path of what was cut out of a generic function has that one's parameters in it.
                let cut = || self.code.promoted(self.body_of(inst), path);
                let body =
                    self.code.def(&text, home).or_else(|| self.code.constant(path, home)).or_else(cut)?;
                let made = self.instance(world, body, Vec::new(), Rc::default(), None);
                let loc =
                    self.heap.root(Root::Outside(format!("const {text}"), world), || constant.ty.clone());
                self.constants.insert((text, world), (loc, made));
                Some(loc)
            }
            _ => None,
        }
    }

    pub(super) fn static_loc(&mut self, inst: InstId, name: &Name, constant: &Constant) -> LocId {
        let world = self.world_of(inst);
        // Crates that are analysed together may have statics of one name.
        let body = self.code.static_body(name, self.home_of(inst));
        if let Some((loc, _)) = self.statics.get(&(name.clone(), world, body)) {
            return *loc;
        }
        let ty = constant.ty.as_deref().and_then(|ty| self.pointee(ty));
        let loc = self.heap.root(Root::Static(name.clone(), world, body), || ty);
        let made = body.map(|body| self.instance(world, body, Vec::new(), Rc::default(), None));
        self.statics.insert((name.clone(), world, body), (loc, made));
        loc
    }

    pub(super) fn assign(&mut self, inst: InstId, place: &Place, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(operand)
            | Rvalue::Repeat(operand, _)
            | Rvalue::Cast(_, operand, _)
            | Rvalue::Wrap(operand, _) => {
                let (from, _) = self.operand(inst, operand);
                if !from.is_empty() {
                    self.copy_into(inst, &from, place);
                }
            }
            Rvalue::CopyForDeref(source) => {
                let (from, _) = self.place(inst, source);
                self.copy_into(inst, &from, place);
            }
            Rvalue::Ref(_, of) | Rvalue::RawPtr { place: of, .. } => {
                let (to, _) = self.place(inst, of);
                let (into, _) = self.place(inst, place);
                for into in into {
                    for to in &to {
                        self.heap.point(into, *to);
                    }
                }
            }
            Rvalue::ThreadLocalRef(name) => {
                let target = self.heap.root(Root::ThreadLocal(name.clone()), || None);
                let (into, _) = self.place(inst, place);
                for into in into {
                    self.heap.point(into, target);
                }
            }
            Rvalue::Aggregate(kind, operands) => self.aggregate(inst, place, kind, operands),
            _ => {}
        }
    }

    pub(super) fn copy_into(&mut self, inst: InstId, from: &[LocId], place: &Place) {
        let (into, _) = self.place(inst, place);
        for into in into {
            for from in from {
                self.heap.copy(*from, into);
            }
        }
    }

    pub(super) fn aggregate(
        &mut self,
        inst: InstId,
        place: &Place,
        kind: &AggregateKind,
        operands: &[Operand],
    ) {
        let (into, ty) = self.place(inst, place);
        let mut variant = Name::default();
        match kind {
            AggregateKind::Tuple | AggregateKind::Array | AggregateKind::RawPtr { .. } => {}
            AggregateKind::Adt { path, .. } => {
                let name = ty.as_deref().and_then(|ty| ty.as_path()).map_or("", |path| path.last());
                variant = variant_of(path, name).unwrap_or_default().into();
            }
            AggregateKind::Closure { body: def, .. } | AggregateKind::Coroutine { body: def, .. } => {
                let home = self.home_of(inst);
                if let Some(id) = self.code.def(def, home) {
                    let subst = self.subst_of(inst);
                    let maker = Maker::new(self, inst, operands);
                    let captures = Giver::new(self, inst).captures(operands);
                    for into in &into {
                        self.heap.add_value(*into, Value::Body(id, subst.clone(), maker, captures.clone()));
                    }
                }
            }
        }
        for (number, operand) in operands.iter().enumerate() {
            let (from, from_ty) = self.operand(inst, operand);
            if from.is_empty() {
                continue;
            }
            let owner = ty.as_deref().filter(|owner| match kind {
                AggregateKind::Array | AggregateKind::RawPtr { .. } => false,
                AggregateKind::Adt { .. } => {
                    let apart = from_ty.as_deref().map(|part| self.heap.tells_apart(owner, part));
                    apart.unwrap_or_else(|| self.code.has_fields(owner))
                }
                _ => true,
            });
            for into in &into {
                let target = match owner {
                    Some(owner) => {
                        let part = Part::of(owner, (variant.clone(), number as u32));
                        self.heap.child(*into, &part, from_ty.as_ref())
                    }
                    None => *into,
                };
                for from in &from {
                    self.heap.copy(*from, target);
                }
            }
        }
    }
}
