import { note, type Remark } from './remark.ts'

/** Findings that one check says: more than anybody reads. All of them count for the decision. */
export const MOST_REMARKS = 100
/** Reasons in one sentence. */
const MOST_REASONS = 10
/** Characters of one explanation or reason: it may list places or groups of the request. */
const MOST_CHARACTERS = 1_000
/** Characters of the details of a finding, as JSON: the same. */
const MOST_DETAILS = 4_000

const WEIGHT = { deny: 0, escalate: 1, adjust: 2, none: 3 } as const
const SEVERITIES = ['critical', 'warning', 'info'] as const

/** What a check says of its findings: the weightiest {@link MOST_REMARKS}, in their order, and one that says how many more there are. */
export function said(remarks: readonly Remark[]): readonly Remark[] {
  if (remarks.length <= MOST_REMARKS) return remarks.map(shortened)
  const chosen = new Set(remarks.toSorted((a, b) => WEIGHT[a.effect] - WEIGHT[b.effect]).slice(0, MOST_REMARKS))
  const rest = remarks.filter((remark) => !chosen.has(remark))
  const count = (severity: Remark['severity']) => rest.filter((remark) => remark.severity === severity).length
  const worst = SEVERITIES.find((severity) => count(severity) > 0) ?? 'info'
  return [
    ...remarks.filter((remark) => chosen.has(remark)).map(shortened),
    note('human_oversight', worst, `${rest.length} more findings are not listed; all of them count for the decision`, {
      details: { not_listed: Object.fromEntries(SEVERITIES.map((severity) => [severity, count(severity)])) },
    }),
  ]
}

/** Reasons as one text: each once, the first of them, and how many more there are. */
export function listed(reasons: Iterable<string>): string {
  const all = [...new Set(reasons)]
  const more = all.length > MOST_REASONS ? [`${all.length - MOST_REASONS} more`] : []
  return [...all.slice(0, MOST_REASONS).map(short), ...more].join('; ')
}

function shortened(remark: Remark): Remark {
  const { explanation, details } = remark
  const { length } = details === undefined ? '' : JSON.stringify(details)
  if (explanation.length <= MOST_CHARACTERS && length <= MOST_DETAILS) return remark
  return {
    ...remark,
    explanation: short(explanation),
    ...(length > MOST_DETAILS && { details: { not_shown_characters: length } }),
  }
}

function short(text: string): string {
  return text.length > MOST_CHARACTERS
    ? `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}… (${text.length - MOST_CHARACTERS} more characters)`
    : text
}
