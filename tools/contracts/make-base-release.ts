import { createRequire } from 'node:module'
import { join } from 'node:path'
import { rootsOf } from '../../src/protocol/contract-files/contract-documents.ts'
import { readContractFolder } from '../../src/protocol/contract-files/read-contract-folder.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { compileValidators } from './compile-validators.ts'
import type { ContractCache } from './contract-cache.ts'
import { writeValidators } from './write-validators.ts'

/** The folder with the compiled validators of 3.0 in `validators`; its schemas stay in the npm package, which the server reads. */
export function makeBaseRelease(cache: ContractCache): string {
  const { version } = createRequire(import.meta.url)('@adcp/sdk/package.json')
  const source = `adcp-sdk-${version}`
  return cache.made(source, BASE_SOURCE.line) ?? cache.make(source, BASE_SOURCE.line, write)
}

function write(folder: string): void {
  const { manifest, documents } = readContractFolder(BASE_SOURCE.folder)
  const compiled = compileValidators(documents, rootsOf(manifest, documents.keys()))
  writeValidators(join(folder, 'validators'), compiled)
  console.log(`AdCP ${manifest.adcp_version} (npm @adcp/sdk): ${compiled.modules.size} validators compiled`)
}
