import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/** Hash of all that decides what is made of a source: the code of this repository that makes contracts, and the libraries that it uses. */
export function makerHash(repository: string): string {
  const hash = createHash('sha256')
  for (const folder of ['src/protocol', 'tools/contracts']) {
    for (const file of readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.ts')) hash.update(`${file}\0`).update(readFileSync(join(repository, folder, file)))
    }
  }
  for (const library of ['ajv', 'ajv-formats']) hash.update(`${library}@${require(`${library}/package.json`).version}\0`)
  return hash.digest('hex').slice(0, 16)
}
