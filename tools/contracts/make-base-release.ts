import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { rootsOf } from '../../src/protocol/contract-files/contract-documents.ts'
import { readContractFolder } from '../../src/protocol/contract-files/read-contract-folder.ts'
import { writeContract } from '../../src/protocol/contract-files/write-contract.ts'
import { BASE_SOURCE, GRADER_KEYS, sdkRelease } from '../../src/protocol/contract-source.ts'
import { compileValidators } from './compile-validators.ts'
import type { ContractCache } from './contract-cache.ts'
import { writeValidators } from './write-validators.ts'

/** The folder with the schemas of 3.0 in `contracts`, as the npm package has them, and the compiled validators in `validators`. */
export function makeBaseRelease(cache: ContractCache): string {
  const { version } = createRequire(import.meta.url)('@adcp/sdk/package.json')
  const source = `adcp-sdk-${version}`
  return cache.made(source, BASE_SOURCE.line) ?? cache.make(source, BASE_SOURCE.line, write)
}

function write(folder: string): void {
  const sdk = sdkRelease()
  const { manifest, documents } = readContractFolder(sdk.folder)
  const compiled = compileValidators(documents, rootsOf(manifest, documents.keys()))
  writeContract(join(folder, 'contracts'), { manifest, documents })
  copyFileSync(sdk.graderKeys, join(folder, 'contracts', GRADER_KEYS))
  writeValidators(join(folder, 'validators'), compiled)
  console.log(`AdCP ${manifest.adcp_version} (npm @adcp/sdk): ${compiled.modules.size} validators compiled`)
}
