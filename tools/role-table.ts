import { OPERATIONS } from '../src/admin-api/operations.ts'
import { groupBy } from '../src/domain/group-by.ts'
import { ADMIN_ROLES } from '../src/domain/identity/admin-role.ts'

type Listed = (typeof OPERATIONS)[number]

const only =
  (...roles: readonly string[]) =>
  (operation: Listed) =>
    ADMIN_ROLES.every((role) => operation.roles.includes(role) === roles.includes(role))

/** Each set of roles that acts have. */
const COLUMNS: readonly (readonly [title: string, has: (operation: Listed) => boolean])[] = [
  ['everybody', only(...ADMIN_ROLES)],
  ['finance, administrator', only('finance', 'administrator')],
  ['finance, ad_operations, administrator', only('finance', 'ad_operations', 'administrator')],
  ['ad_operations, administrator', only('ad_operations', 'administrator')],
  ['administrator', only('administrator')],
]

/** Who may do what, whichever way in: a row an area, a column a set of roles. Throws for an operation that has another set. */
export function roleTable(): string {
  const listed = OPERATIONS.filter(({ scope }) => scope === 'publisher')
  const other = listed.find((operation) => !COLUMNS.some(([, has]) => has(operation)))
  if (other) throw new Error(`tools/role-table.ts has no column for the roles of ${other.id}`)
  const rows = [...groupBy(listed, areaOf)].map(([area, own]) => [area, ...COLUMNS.map(([, has]) => namesOf(own.filter(has)))])
  const headings = ['area', ...COLUMNS.map(([title]) => title)]
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The first word of an act, or of the path of what is not written as one yet. */
function areaOf({ act, path }: Listed): string {
  return act ? (act.name.split('.', 1)[0] ?? '') : (path.split('/')[1] ?? '')
}

function namesOf(operations: readonly Listed[]): string {
  return operations.map(({ act, id }) => `\`${act ? act.name.split('.').slice(1).join('.') : id}\``).join(', ')
}
