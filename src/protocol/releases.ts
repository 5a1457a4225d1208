import { BASE_SOURCE, type ContractSource, compiledFolder, contractFolder } from './contract-source.ts'
import { RELEASE_3_1 } from './converters/release-3-1.ts'
import { RELEASE_3_2 } from './converters/release-3-2.ts'

/** The release lines that this server speaks, ascending: one row, one folder of schemas and the step from the line before each. */
export const RELEASES: readonly ContractSource[] = [
  BASE_SOURCE,
  { line: '3.1', folder: contractFolder('3.1'), compiled: compiledFolder('3.1'), converter: RELEASE_3_1 },
  { line: '3.2', folder: contractFolder('3.2'), compiled: compiledFolder('3.2'), converter: RELEASE_3_2 },
]
