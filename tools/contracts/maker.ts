import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/** The code of this repository that makes contracts: folders, and files that they use. */
const FOLDERS = ['src/protocol/contract-files', 'tools/contracts']
const FILES = [
  'src/protocol/checked-members.ts',
  'src/protocol/compiled-validators.ts',
  'src/protocol/linear-keywords.ts',
  'src/protocol/new-ajv.ts',
  'src/protocol/tagged-unions.ts',
]

/** Hash of all that decides what is made of a source: the code that makes contracts, and the libraries that it uses. */
export function makerHash(repository: string): string {
  const hash = createHash('sha256')
  const inFolders = FOLDERS.flatMap((folder) => readdirSync(join(repository, folder)).map((file) => `${folder}/${file}`))
  for (const file of [...inFolders, ...FILES].sort()) hash.update(`${file}\0`).update(readFileSync(join(repository, file)))
  for (const library of ['ajv', 'ajv-formats']) hash.update(`${library}@${require(`${library}/package.json`).version}\0`)
  return hash.digest('hex').slice(0, 16)
}
