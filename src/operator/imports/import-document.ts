import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import type { Change } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { importError, located, parseJson } from './import-problems.ts'
import type { Table } from './read-sheet.ts'

/** A file to import: its name in messages, and its content. */
export interface ImportFile {
  readonly name: string
  readonly text: string
  /** Its rows where it is a table; of a workbook those of the first sheet, and `text` is empty then. */
  readonly table?: Table
}

/** What an import is asked to do. */
export interface ImportInput {
  readonly tenantId: string
  readonly file: ImportFile
  /** Check and compare only. */
  readonly dryRun: boolean
  /** Keep what the file does not list; without it, what the file does not list is removed. */
  readonly merge: boolean
}

/** Ids by what an import makes of them. */
export interface ImportDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
}

/** What the rules of a file say of it. */
export type Checked<T> =
  | { readonly ok: true; readonly file: T }
  | { readonly ok: false; readonly problems: readonly { readonly pointer: string; readonly message: string }[] }

/** Reads a JSON file and checks it whole. Throws INVALID_REQUEST with one issue a problem, each with its line. */
export function readDocument<T>({ name, text }: ImportFile, check: (value: unknown) => Checked<T>): T {
  const parsed = parseJson(text)
  if (!parsed.ok) throw importError(name, parsed.problems)
  const result = check(withoutSchema(parsed.value))
  if (result.ok) return result.file
  throw importError(name, located(text, result.problems))
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '$schema'))
}

/** The members that changed of the entries that an import changes, for the audit log: each below the id of its entry. */
export function changedEntries(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { changed }: Pick<ImportDiff, 'changed'>,
): Readonly<Record<string, Change>> {
  const documents = (texts: ReadonlyMap<string, string>) =>
    Object.fromEntries(changed.map((id): [string, unknown] => [id, foreignJsonIn(texts.get(id) ?? '{}')]))
  return changedMembers(documents(before), documents(after))
}

/** Compares entries, text by id. With `merge`, what the file leaves out stays, so it counts as unchanged rather than removed. */
export function diffEntries(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { merge }: { readonly merge: boolean },
): ImportDiff {
  const common = [...after.keys()].filter((id) => before.has(id))
  const missing = [...before.keys()].filter((id) => !after.has(id))
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    changed: common.filter((id) => before.get(id) !== after.get(id)),
    removed: merge ? [] : missing,
    unchanged: [...common.filter((id) => before.get(id) === after.get(id)), ...(merge ? missing : [])],
  }
}
