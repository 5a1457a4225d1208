import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import type { TableRow } from '../../platform/decode/table-rows.ts'
import type { Db } from '../../store/database.ts'
import type { ActContext, Change } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { type FileProblem, importError, located, parseImport } from './import-problems.ts'

/** The rows of a table, headings first, or why they cannot be read. */
export type Table =
  | { readonly ok: true; readonly rows: readonly TableRow[] }
  | { readonly ok: false; readonly problem: FileProblem }

/** A file to import: its name, by whose ending it is read, and its content. */
export interface ImportFile {
  readonly name: string
  /** The member of a request in which its content was sent: messages name that, since nobody sent a file. */
  readonly sent?: 'document' | 'csv' | 'drafts' | undefined
  readonly text: string
  /** Its rows where it is a table; of a workbook those of the first sheet, and `text` is empty then. */
  readonly table?: Table
  /** How its text was read where that was concluded from its bytes; absent: as UTF-8 or UTF-16, which are recognised without doubt. */
  readonly encoding?: 'Windows-1252' | undefined
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

/** Reads a JSON file and checks it whole. Throws INVALID_REQUEST with one issue a problem, each with its line in a file. */
export async function readDocument<T>(file: ImportFile, check: (value: unknown) => Checked<T>): Promise<T> {
  const { text } = file
  const parsed = await parseImport(text)
  if (!parsed.ok) throw importError(file, parsed.problems)
  const result = check(withoutSchema(parsed.value))
  if (result.ok) return result.file
  throw importError(file, await located(text, result.problems))
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '$schema'))
}

/** What an import compares and writes. Entries are texts by id. */
interface ImportedEntries {
  /** What the publisher has. */
  before(db: Db): Promise<ReadonlyMap<string, string>>
  /** What the file has. */
  readonly after: ReadonlyMap<string, string>
  /** What the file has beside entries, for the audit log: as the publisher has it. */
  beside?(db: Db): Promise<object>
  /** Throws where the difference may not be. */
  refuse?(db: Db, diff: ImportDiff): Promise<void>
  /** Writes the file. The members of changed entries are logged below their ids. */
  save(tx: Db): Promise<void>
}

/**
 * Carries out the import of a file that was read and checked: compares and writes in one transaction, and notes what changed for the audit log. With
 * `dryRun` it only compares. Throws what `refuse` throws; nothing is written then.
 */
export async function importEntries(
  { store, noteAllChanges }: ActContext,
  { dryRun, merge }: Pick<ImportInput, 'dryRun' | 'merge'>,
  { before, after, beside = async () => ({}), refuse, save }: ImportedEntries,
): Promise<ImportDiff> {
  const compare = async (db: Db) => {
    const was = await before(db)
    const diff = diffEntries(was, after, { merge })
    await refuse?.(db, diff)
    return { was, diff }
  }
  if (dryRun) return (await compare(store.read)).diff
  return store.transaction(async (tx) => {
    const { was, diff } = await compare(tx)
    const wasBeside = await beside(tx)
    await save(tx)
    const order = { before: [...was.keys()], after: [...(await before(tx)).keys()] }
    const documents = (texts: ReadonlyMap<string, string>) =>
      Object.fromEntries(diff.changed.map((id): [string, unknown] => [id, foreignJsonIn(texts.get(id) ?? '{}')]))
    const members = changedMembers({ ...documents(was), ...wasBeside }, { ...documents(after), ...(await beside(tx)) })
    noteAllChanges(importedChanges(diff, members, order))
    return diff
  })
}

/**
 * All that an import changes, for the audit log: which entries came and went, how many and their ids, and the members that changed of the others. `order`: the ids as the
 * publisher had and has them; one of these entries before another is a change too.
 */
export function importedChanges(
  { added, removed }: Pick<ImportDiff, 'added' | 'removed'>,
  members: Readonly<Record<string, Change>>,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): Readonly<Record<string, Change>> {
  const listed = (ids: readonly string[]) => (ids.length === 0 ? undefined : `${ids.length}: ${ids.join(', ')}`)
  const isOld = new Set(before)
  const stays = new Set(after.filter((id) => isOld.has(id)))
  const kept = (ids: readonly string[]) => ids.filter((id) => stays.has(id))
  return {
    ...changedMembers({ removed: listed(removed), order: kept(before) }, { added: listed(added), order: kept(after) }),
    ...members,
  }
}

/** Compares entries, text by id. With `merge`, what the file leaves out stays, so it counts as unchanged rather than removed. */
function diffEntries(
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
