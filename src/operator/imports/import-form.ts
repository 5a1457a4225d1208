import type { OperatorContext } from '../operator-context.ts'

/** What an import changed, or would change, by ids. */
export interface Difference {
  readonly added: readonly string[]
  readonly changed: readonly unknown[]
  readonly removed: readonly string[]
  readonly unchanged?: readonly string[] | undefined
}

export interface ImportHow {
  readonly dry_run?: boolean
  readonly replace?: boolean
}

interface ImportForm<D extends Difference, V> {
  readonly help: string
  /** What it does to each entry, a line each. */
  lines?(answer: D): readonly string[]
  /** What a person should know before something is taken away, a line each. */
  touched?(answer: D): readonly string[]
  /** What standard error says afterwards. */
  notes?(context: OperatorContext, tenantId: string, values: V): Promise<readonly string[]>
}

/** Ids that a question lists. */
const MAX_SHOWN = 20

/** How the command line takes a file to import, asks before something is taken away, and shows what that changes. */
export function importForm<D extends Difference, V extends ImportHow>({
  help,
  lines = idLines,
  touched,
  notes,
}: ImportForm<D, V>) {
  return {
    help,
    args: ['file'] as const,
    without: ['document', 'csv'],
    /** What is the default now. */
    earlier: ['merge'],
    async confirm(values: V, _tenantId: string, look: (values: V) => Promise<D>): Promise<string | undefined> {
      if (values.dry_run) return undefined
      const answer = await look({ ...values, dry_run: true })
      const ids = answer.removed
      if (ids.length === 0) return undefined
      const shown = ids.length > MAX_SHOWN ? [...ids.slice(0, MAX_SHOWN), `${ids.length - MAX_SHOWN} more`] : ids
      return [`this takes away ${ids.length}: ${shown.join(', ')}.`, ...(touched?.(answer) ?? []), 'Go on?'].join('\n')
    },
    text: (answer: D, { dry_run: isTrial = false }: V, tenantId: string) => [
      headOf(answer, isTrial, tenantId),
      ...lines(answer),
      ...(isTrial ? (touched?.(answer) ?? []) : []),
    ],
    json: (answer: D, { dry_run: isTrial = false }: V, tenantId: string) => ({ tenant: tenantId, dry_run: isTrial, ...answer }),
    ...(notes && { notes }),
  }
}

function headOf({ added, changed, removed, unchanged }: Difference, isTrial: boolean, tenantId: string): string {
  const counts = [`${added.length} added`, `${changed.length} changed`, `${removed.length} removed`]
  const all = unchanged === undefined ? counts : [...counts, `${unchanged.length} unchanged`]
  return `${isTrial ? 'would import' : 'imported'} into ${tenantId}: ${all.join(', ')}`
}

function idLines({ added, removed, changed }: Difference): readonly string[] {
  return [...added.map((id) => `+ ${id}`), ...removed.map((id) => `- ${id}`), ...changed.map((id) => `~ ${id}`)]
}
