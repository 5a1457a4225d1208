import { writeFileSync } from 'node:fs'
import type { Act } from '../operator/act.ts'
import type { Column } from '../operator/command-form.ts'
import { EXIT_NO, EXIT_UNKNOWN } from './exit-codes.ts'
import { print, table, withMore } from './output.ts'

/** Options that say how an answer is shown. */
export interface AnswerOptions {
  readonly json?: boolean
  readonly csv?: boolean
  readonly document?: boolean
  readonly out?: string
  readonly format?: string
}

interface Page {
  readonly items: readonly never[]
  readonly next_cursor: string | null
}

/** Whether an answer is a page of a list. */
export function isPage(answer: object): answer is Page {
  return 'items' in answer && Array.isArray(answer.items) && 'next_cursor' in answer
}

/** Prints the answer of an act as its form says, or writes the file that it is. */
export function show(
  { command }: Act,
  answer: object,
  members: Readonly<Record<string, unknown>>,
  tenantId: string,
  { csv, json, document, out, format }: AnswerOptions,
): void {
  const { columns, text, file } = command ?? {}
  if (command?.isUnknown?.(answer)) process.exitCode = EXIT_UNKNOWN
  else if (command?.fails?.(answer)) process.exitCode = EXIT_NO
  if (file) writeText(file.text(answer, format ?? file.forms[0] ?? ''), out)
  else if (document && command?.document) print(true, command.document(answer), [])
  else if (csv && command?.csv) process.stdout.write(command.csv(answer))
  else if (json) print(json, command?.json?.(answer, members, tenantId) ?? answer, [])
  else if (columns && isPage(answer)) {
    const { items, next_cursor: next } = answer
    const footer = command?.footer?.(answer, members) ?? []
    print(json, items, [...withMore(tableOf(columns, items), next, command?.flags?.cursor), ...footer])
  } else print(json, answer, text ? text(answer, members, tenantId) : [JSON.stringify(answer, undefined, 2)])
}

function writeText(text: string | Uint8Array, out: string | undefined): void {
  if (out === undefined) process.stdout.write(text)
  else writeFileSync(out, text)
}

function tableOf(columns: readonly Column<never>[], items: Page['items']): readonly string[] {
  const rows = items.map((item) => columns.map(([, cell]) => cell(item)))
  return table(
    columns.map(([heading]) => heading),
    rows,
  )
}
