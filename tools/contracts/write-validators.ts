import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { compressedName, MODULE_INDEX } from '../../src/protocol/compiled-validators.ts'
import type { CompiledValidators } from './compile-validators.ts'

/** Writes compiled validators: a compressed file a module, and the index. Replaces what is there. */
export function writeValidators(folder: string, { index, modules }: CompiledValidators): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, code] of modules) writeFileSync(join(folder, compressedName(file)), gzipSync(code, { level: 9 }))
  writeFileSync(join(folder, MODULE_INDEX), JSON.stringify(index))
}
