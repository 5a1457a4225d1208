import { BASE_SOURCE, type ContractSource } from './contract-source.ts'

/** The release lines that this server speaks, ascending: one row and one folder of schemas each. */
export const RELEASES: readonly ContractSource[] = [BASE_SOURCE]
