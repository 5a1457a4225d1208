import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { ActCommand } from '../../src/cli/act-flags.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { ACTS } from '../../src/operator/acts.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))

/** The files of a folder of `src`, by path. */
function sources(folder: string): { readonly path: string; readonly text: string }[] {
  return readdirSync(join(src, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(src.length + 1), text: readFileSync(path, 'utf8') }))
}

const FIELDS = ACTS.flatMap((act) => Object.entries(act.fields).map(([name, field]) => ({ act, name, field })))

/** A field as it is written: its name, and a call that makes a field of one line. */
const DECLARATION =
  /(?<![\w.])(\w+)(?::| =) ((?:required\(|exact\(|atMost\(\d+, |between\(\w+, \w+, )*(?:text|idText|domainText|userName|buyerId|adServerName|oneOf|someOf|count|flag|ids|texts|day|month|currency|cells|amountOr)\(.+?\)+)(?:,| }|$)/gm

/** Fields of one name that are about different things in different acts, each with what these are. */
const OTHER_THINGS: Readonly<Record<string, string>> = {
  audience: 'whom a token is for; whom a request of erasure is about',
  by: 'dimensions of a report, of which placements have others; who decided',
  channel: 'where a person is notified; the official registry has channels of its own',
  check: 'a check of governance; whether credentials are tried first',
  currency: 'a currency; of the publisher also "default"',
  days: 'how far back, each list as far as it is kept; how long something is valid; which days a report is of',
  drift: 'what is done about drift; one that was found',
  format: 'forms of a file, each file has its own; a creative format',
  from: 'a day of a season; a point in time; or how long from now',
  kind: 'why a publisher is off the list; kinds of a placement',
  limit: 'rows of a page: of light rows 500, else 200',
  name: 'what people call something; the name of an ad server, which is an id; a name of a certificate',
  product: 'any product, also one of an ad server; one that is made here',
  reason: 'why; an invoice repeats its own, which are shorter',
  since: 'a day; a point in time',
  state: 'each thing has its own states',
  status: 'each thing has its own statuses',
  task: 'a task that a policy holds; any task or act in the audit log',
  types: 'kinds of events, each feed has its own',
}

/**
 * Whether fields of one name take the same: who names what is there needs no form (`pattern`), which who gives a new thing its name does, one text may be empty to clear it, and one list may have
 * to hold something.
 */
function areAlike(fields: readonly (typeof FIELDS)[number]['field'][]): boolean {
  const patterns = new Set(fields.flatMap(({ schema: { pattern } }) => (pattern === undefined ? [] : [pattern])))
  const limits = new Set(fields.map(({ schema: { pattern, minItems, minLength, ...schema } }) => JSON.stringify(schema)))
  return patterns.size <= 1 && limits.size === 1
}

describe('a field of an act is declared once', () => {
  it('its name with its words and its type are written in one file', () => {
    const written = new Map<string, Set<string>>()
    for (const { path, text } of sources('operator'))
      for (const [, name = '', declaration = ''] of text.matchAll(DECLARATION)) {
        const key = `${name.toLowerCase()}: ${declaration}`
        written.set(key, (written.get(key) ?? new Set()).add(path))
      }
    expect(written.size).toBeGreaterThan(120)
    expect([...written].filter(([, paths]) => paths.size > 1).map(([key, paths]) => [key, ...paths])).toEqual([])
  })

  it('has the same limits wherever it has the same name', () => {
    const names = new Set(FIELDS.map(({ name }) => name))
    const fieldsOf = (name: string) => FIELDS.flatMap((each) => (each.name === name ? [each.field] : []))
    const different = [...names].filter((name) => !areAlike(fieldsOf(name)))
    expect(different.toSorted()).toEqual(Object.keys(OTHER_THINGS))
  })

  it('no form of the console writes the limit of an input by hand', () => {
    const byHand = /(?<![-\w])(?:maxlength|minlength|pattern|min|max|step)="[^$]|\.length [<>]=? ?\d\d/
    expect(sources('console').flatMap(({ path, text }) => (byHand.test(text) ? [path] : []))).toEqual([])
  })

  it('no option that is written by hand says what a field of an act says', async () => {
    const words = new Map(FIELDS.map(({ act, name, field }) => [field.about, `${act.name} ${name}`]))
    const taken = sources('cli').flatMap(({ path, text }) =>
      [...text.matchAll(/'((?:[^'\\\n]|\\.){12,})'/g)].flatMap(([, said = '']) =>
        words.has(said) ? [[path, words.get(said)]] : [],
      ),
    )
    expect(taken).toEqual([])
    const generated = (command: Command): number =>
      command.commands.reduce((sum, each) => sum + generated(each), command instanceof ActCommand ? command.options.length : 0)
    expect((await allCommands()).reduce((sum, command) => sum + generated(command), 0)).toBeGreaterThan(400)
  })

  it('no act writes an old value for the audit log by hand, but that there was none', () => {
    const literal = /(?:note(?:All)?Changes|changes:)\W*\w*\W*: \[(?:'[^']*'|"[^"]*"|`[^`]*`|true|false|\d+),/g
    const noted = (text: string) => text.match(literal) ?? []
    expect(noted("noteChanges({ state: ['listed', kind] })")).toHaveLength(1)
    expect(noted("noteChanges({ state: [before, kind], credited: [null, 'x'] })")).toEqual([])
    expect(sources('operator').flatMap(({ path, text }) => noted(text).map((each) => [path, each]))).toEqual([])
  })

  it('what an act calls does not check again what its field checks', () => {
    const refusal = /new AdcpError\(\s*'INVALID_REQUEST',\s*([^;]*?),\s*\{\s*field: '(\w+)'/gs
    const limit =
      /must be (?:one|a whole|at most)|at most \$|from \d+ to|valid: \$|is no (?:day|month|role|status|channel|kind)\b/
    const range = /from \$?\S+ to \$|\$\{\w+\} to \$\{\w+\} characters/
    const again = sources('operator').flatMap(({ path, text }) =>
      [...text.matchAll(refusal)].flatMap(([, message = '', name = '']) => {
        const area = path.split('/')[1]
        const own = FIELDS.filter((each) => each.name === name && sameArea(each.act.name, area))
        const isLimited = own.some(
          ({ field: { schema } }) =>
            ['enum', 'maximum', 'pattern', 'format'].some((rule) => rule in schema) || 'enum' in Object(schema.items),
        )
        return (isLimited && limit.test(message)) || (own.length > 0 && range.test(message))
          ? [[path, name, message.slice(0, 80)]]
          : []
      }),
    )
    expect(again).toEqual([])
  })
})

const AREAS: Readonly<Record<string, string>> = Object.fromEntries(
  sources('operator').flatMap(({ path, text }) =>
    [...text.matchAll(/\bname: '([a-z-]+\.[a-z-]+)'/g)].map(([, act = '']) => [act, path.split('/')[1] ?? '']),
  ),
)

function sameArea(act: string, area: string | undefined): boolean {
  return AREAS[act] === area
}
