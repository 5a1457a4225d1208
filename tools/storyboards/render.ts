import type { Judged, Totals } from './ceiling.ts'

export const TABLE_START = '<!-- storyboards:start -->'
export const TABLE_END = '<!-- storyboards:end -->'

/** One line for a storyboard and one for each of its failures. */
export function linesOf(judged: Judged): string[] {
  const { passed, failed, skipped } = judged.steps
  const mark = judged.claimed ? (judged.kept ? 'claimed' : 'CLAIM BROKEN') : ''
  const strict = judged.strict.failed > 0 ? `strict schema ${judged.strict.failed} of ${judged.strict.checked} wrong` : ''
  const head = [
    judged.status.padEnd(7),
    judged.id.padEnd(52),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
    mark,
    strict,
  ]
  return [
    head.filter(Boolean).join('  '),
    ...judged.failures.map((failure) => {
      const reason = judged.ceiling[failure.step]
      return `          ${failure.step} [${failure.check}] ${failure.message}${reason === undefined ? '' : ` (allowed: ${reason})`}`
    }),
    ...judged.blocked
      .filter((step) => !(step in judged.ceiling))
      .map((step) => `          ${step} [blocked] an earlier step failed or was not offered`),
    ...judged.strictOnly.map(({ step, task, message }) => `          ${step} [strict_schema] ${task} ${message}`),
    ...judged.liftable.map((step) => `          ${step}: passes now, its ceiling can be removed`),
  ]
}

/** The last lines of a run. */
export function totalLines(totals: Totals): string[] {
  const { storyboards, steps, strict } = totals
  return [
    `storyboards: ${storyboards.passed} passed, ${storyboards.partial} partial, ${storyboards.failed} failed, ` +
      `${storyboards.skipped} skipped, ${storyboards.notDeclared} not declared`,
    `steps: ${steps.passed} passed, ${steps.failed} failed, ${steps.skipped} skipped`,
    `strict schema: ${strict.checked - strict.failed} of ${strict.checked} responses valid`,
    totals.brokenClaims.length === 0 ? 'every claim kept' : `claims broken: ${totals.brokenClaims.join(', ')}`,
  ]
}

/** How a table came about; everything in it is the same on every machine. */
export interface TableHead {
  readonly suiteVersion: string
  readonly clock: string | undefined
}

/** The table: one row a storyboard that ran, without times, so that two runs of the same code give the same text. */
export function tableOf(judged: readonly Judged[], totals: Totals, head: TableHead): string {
  const clock = head.clock === undefined ? '' : `, clock of suite and server set to ${head.clock}`
  const rows = judged.filter(({ status }) => status !== 'skipped').map(rowOf)
  const { passed, partial, failed, skipped, notDeclared } = totals.storyboards
  return [
    `Unedited storyboards of AdCP ${head.suiteVersion}${clock}.`,
    '',
    '| storyboard | verdict | steps passed | failed | skipped | note |',
    '|---|---|--:|--:|--:|---|',
    ...rows,
    '',
    `${passed} passed, ${partial} partial, ${failed} failed, ${skipped} skipped, ${notDeclared} not declared by this agent; ` +
      `${totals.steps.passed} steps passed, ${totals.steps.failed} failed; ` +
      `${totals.strict.checked - totals.strict.failed} of ${totals.strict.checked} responses valid against the strict schemas.`,
  ].join('\n')
}

function rowOf(judged: Judged): string {
  const reasons = Object.entries(judged.ceiling).map(([step, reason]) => `\`${step}\`: ${reason}`)
  const failures = judged.beyondCeiling.map(({ step }) => `\`${step}\` failed`)
  const withinCeiling = judged.status !== 'passed' && judged.claimed && judged.kept
  const after = judged.after === undefined ? [] : [`on a store where \`${judged.after}\` was played: it seeds what this one buys`]
  const note = [...failures, ...reasons, ...after].join('; ').replaceAll('|', '\\|')
  const { passed, failed, skipped } = judged.steps
  return `| \`${judged.id}\` | ${withinCeiling ? 'passed but for the note' : judged.status} | ${passed} | ${failed} | ${skipped} | ${note} |`
}

/**
 * Puts a table between the two markers of a document.
 * @throws Error when a marker is missing
 */
export function withTable(document: string, table: string): string {
  const start = document.indexOf(TABLE_START)
  const end = document.indexOf(TABLE_END)
  if (start < 0 || end < start) throw new Error(`the document lacks ${TABLE_START} … ${TABLE_END}`)
  return `${document.slice(0, start + TABLE_START.length)}\n${table}\n${document.slice(end)}`
}
