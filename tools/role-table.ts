import { groupBy } from '../src/domain/group-by.ts'
import { ADMIN_ROLES } from '../src/domain/identity/admin-role.ts'
import type { Act } from '../src/operator/act.ts'
import { ACTS } from '../src/operator/acts.ts'
import { closedReads } from '../src/operator/closed-reads.ts'

const only =
  (...roles: readonly string[]) =>
  (act: Act) =>
    ADMIN_ROLES.every((role) => act.roles.includes(role) === roles.includes(role))

/** Each set of roles that acts have. */
const COLUMNS: readonly (readonly [title: string, has: (act: Act) => boolean])[] = [
  ['everybody', only(...ADMIN_ROLES)],
  ['finance, administrator', only('finance', 'administrator')],
  ['finance, ad_operations, administrator', only('finance', 'ad_operations', 'administrator')],
  ['ad_operations, administrator', only('ad_operations', 'administrator')],
  ['administrator', only('administrator')],
]

/** Who may do what, whichever way in: a row an area, a column a set of roles. Throws for an act that has another set. */
export function roleTable(): string {
  const listed = ACTS.filter(({ scope }) => scope === 'publisher')
  const other = listed.find((operation) => !COLUMNS.some(([, has]) => has(operation)))
  if (other) throw new Error(`tools/role-table.ts has no column for the roles of ${other.id}`)
  const rows = [...groupBy(listed, areaOf)].map(([area, own]) => [area, ...COLUMNS.map(([, has]) => namesOf(own.filter(has)))])
  const headings = ['area', ...COLUMNS.map(([title]) => title)]
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The first word of an act. */
function areaOf({ name }: Act): string {
  return name.split('.', 1)[0] ?? ''
}

function namesOf(acts: readonly Act[]): string {
  return acts.map(({ name }) => `\`${name.split('.').slice(1).join('.')}\``).join(', ')
}

/** What a viewer may not read, with the roles that may. */
export function closedReadsList(): string {
  return closedReads('viewer')
    .map(({ name, roles, summary }) => `- \`${name}\` (${roles.join(', ')}): ${summary}`)
    .join('\n')
}
