import { fuzzTrustedMatch } from './match-fuzz-suite.ts'

// Few, so that all of it takes some seconds; test/extended sends more.
fuzzTrustedMatch({ count: 70, seed: 20_260_301 })
