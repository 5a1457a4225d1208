import { writeFileSync } from 'node:fs'
import { importError, locator, parseJson, readText } from './import-files.ts'
import { print } from './output.ts'

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
export function readDocument<T>(path: string, check: (value: unknown) => Checked<T>): T {
  const text = readText(path)
  const parsed = parseJson(text)
  if (!parsed.ok) throw importError(path, parsed.problems)
  const result = check(withoutSchema(parsed.value))
  if (result.ok) return result.file
  const place = locator(text)
  throw importError(
    path,
    result.problems.map((problem) => ({ ...problem, ...place(problem) })),
  )
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '$schema'))
}

/** Compares entries, text by id. With `merge`, what the file leaves out stays, so it counts as unchanged rather than removed. */
export function diffEntries(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { merge }: { readonly merge: boolean },
): ImportDiff {
  const kept = [...after.keys()].filter((id) => before.has(id))
  const left = [...before.keys()].filter((id) => !after.has(id))
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    changed: kept.filter((id) => before.get(id) !== after.get(id)),
    removed: merge ? [] : left,
    unchanged: [...kept.filter((id) => before.get(id) === after.get(id)), ...(merge ? left : [])],
  }
}

/** Prints what an import changed, or would change. */
export function printImport(json: boolean | undefined, tenantId: string, dryRun: boolean, diff: ImportDiff): void {
  print(json, { tenant: tenantId, dry_run: dryRun, ...diff }, [
    importHead(tenantId, dryRun, diff),
    ...diff.added.map((id) => `+ ${id}`),
    ...diff.removed.map((id) => `- ${id}`),
    ...diff.changed.map((id) => `~ ${id}`),
  ])
}

/** What an import changed, in one line. */
export function importHead(
  tenantId: string,
  dryRun: boolean,
  diff: Readonly<Record<'added' | 'changed' | 'removed' | 'unchanged', readonly unknown[]>>,
): string {
  const counts = [`${diff.added.length} added`, `${diff.changed.length} changed`, `${diff.removed.length} removed`]
  return `${dryRun ? 'would import' : 'imported'} into ${tenantId}: ${counts.join(', ')}, ${diff.unchanged.length} unchanged`
}

/** Writes an exported document to the file that was named, or to standard output. */
export function writeExport(out: string | undefined, text: string): void {
  if (out === undefined) process.stdout.write(text)
  else writeFileSync(out, text)
}
