import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CompiledValidators } from './compile-validators.ts'

/** Writes compiled validators: a file a module, and `index.json`. Replaces what is there. */
export function writeValidators(folder: string, { index, modules }: CompiledValidators): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, code] of modules) writeFileSync(join(folder, file), code)
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index))
}
