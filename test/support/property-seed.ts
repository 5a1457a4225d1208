import fc from 'fast-check'

// Property-based tests generate the same input in each run, so that a run fails for what was changed and not by chance.
// `PROPERTY_SEED=7 npm run test:unit` tries other input.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) })
