/**
 * Writes the generated tables of the README (tasks, authentication, configuration) between their markers; with --check it only compares and
 * exits 1 when one is out of date. The storyboard table is written by `npm run storyboards -- --markdown README.md`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { settingsOf } from '../src/config/config-settings.ts'
import { Schemas } from '../src/protocol/schemas.ts'
import { matrixTable } from '../test/security/auth/matrix.ts'
import { taskTable } from './task-table.ts'

const readme = 'README.md'
const before = readFileSync(readme, 'utf8')
const after = [
  ['tasks', taskTable()],
  ['auth', matrixTable()],
  ['config', configTable()],
].reduce((text, [name, table]) => between(text, name ?? '', table ?? ''), before)

if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error(`${readme}: generated tables are out of date (npx tsx tools/docs.ts)`)
    process.exitCode = 1
  }
} else {
  writeFileSync(readme, after)
}

function between(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${readme} has no markers for ${name}`)
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
