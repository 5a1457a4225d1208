import { fuzzTrustedMatch } from '../transports/trusted-match/match-fuzz-suite.ts'

fuzzTrustedMatch({ count: 1_000, seed: 20_260_302 })
