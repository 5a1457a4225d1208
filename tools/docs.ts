/**
 * Writes the generated tables of the documentation (tasks, authentication, configuration, steps of the pipeline, operations of the admin API) between
 * their markers, and the description of the admin API; with
 * --check it only compares and exits 1 when one is out of date. The storyboard table is written by `npm run storyboards -- --markdown docs/conformance.md`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { settingsOf } from '../src/config/config-settings.ts'
import { ACT_STEPS } from '../src/operator/perform.ts'
import { STEPS } from '../src/pipeline/pipeline.ts'
import { Schemas } from '../src/protocol/schemas.ts'
import { matrixTable } from '../test/support/authentication-matrix.ts'
import { adminOpenApi, operationTable } from './admin-openapi.ts'
import { releaseTools, releaseToolsTable } from './release-tools.ts'
import { closedReadsList, roleTable } from './role-table.ts'
import { taskTable } from './task-table.ts'

const tools = releaseTools()

/** Page by page: the name of the markers, and the table between them. */
const TABLES: readonly (readonly [file: string, name: string, table: () => string])[] = [
  // A build without 3.2 leaves the table as it is.
  ...(tools ? [['docs/conformance.md', 'release-tools', () => releaseToolsTable(tools)] as const] : []),
  ['docs/tasks.md', 'tasks', taskTable],
  ['docs/authentication.md', 'auth', matrixTable],
  ['docs/configuration.md', 'config', configTable],
  ['ARCHITECTURE.md', 'steps', () => stepList('src/pipeline/pipeline.ts', STEPS)],
  ['ARCHITECTURE.md', 'act-steps', () => stepList('src/operator/perform.ts', ACT_STEPS)],
  ['docs/admin-api.md', 'operations', operationTable],
  ['docs/admin-api.md', 'roles', roleTable],
  ['docs/console.md', 'roles', roleTable],
  ['docs/console.md', 'closed-reads', closedReadsList],
]

const isCheck = process.argv.includes('--check')
for (const [file, name, table] of TABLES) write(file, between(file, readFileSync(file, 'utf8'), name, table()))
write('schemas/admin-openapi.json', `${JSON.stringify(adminOpenApi(), undefined, 1)}\n`)

function write(file: string, after: string): void {
  if (after === readFileSync(file, 'utf8')) return
  if (!isCheck) writeFileSync(file, after)
  else {
    console.error(`${file}: what is generated of it is out of date (npx tsx tools/docs.ts)`)
    process.exitCode = 1
  }
}

function between(file: string, text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no markers for ${name}`)
  return `${text.slice(0, from + start.length)}\n${table}\n${text.slice(to)}`
}

function configTable(): string {
  const rows = settingsOf(new Schemas().document('own:config.json')).map(({ path, schema }) => {
    const variable = `SALES_AGENT_${path
      .join('_')
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toUpperCase()}`
    const kind = Array.isArray(schema.enum) ? schema.enum.map((value) => `\`${value}\``).join(' ') : String(schema.type)
    const fallback = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``
    return `| \`${path.join('.')}\` | \`${variable}\` | ${kind} | ${fallback} | ${schema.description} |`
  })
  return ['| key | environment | value | default | meaning |', '|---|---|---|---|---|', ...rows].join('\n')
}

/** The steps of a list in their order, each with the comment beside it in the source. */
function stepList(file: string, steps: readonly { readonly name: string }[]): string {
  const source = readFileSync(file, 'utf8')
  const comments = new Map(
    [...source.matchAll(/^ {2}(\w+), \/\/ +(.*)$/gm)].map(([, name = '', comment = '']) => [name, comment]),
  )
  return steps
    .map(({ name }, index) => {
      const comment = comments.get(name)
      if (comment === undefined) throw new Error(`${file}: the step ${name} has no comment beside it`)
      return `${index + 1}. \`${name}\`: ${comment}`
    })
    .join('\n')
}
