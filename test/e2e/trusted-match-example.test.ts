import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Child, freePort, startChild } from '../../tools/agent/child.ts'
import { COMMAND } from '../../tools/agent/command-line.ts'

/** The section of the page, with ports that are free here. */
function sectionOf(ports: readonly [string, string]): string {
  const page = readFileSync('docs/trusted-match.md', 'utf8')
  const [, section = ''] = /^## A match on one machine\n([\s\S]*?)^## /m.exec(page) ?? []
  return section.replaceAll('8443', ports[0]).replaceAll('8444', ports[1])
}

const blocksOf = (section: string, language: string) =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text)

let folder: string
let section: string
let ports: readonly [string, string]
const children: Child[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'match-example-'))
  ports = [String(await freePort()), String(await freePort())]
  section = sectionOf(ports)
})
afterAll(async () => {
  await Promise.all(children.map((child) => child.end()))
  rmSync(folder, { recursive: true, force: true })
})

const bash = (script: string) => execFileSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

it('the example of the documentation matches, for the package, topic and user that it names and for no other', async () => {
  const [prepare = '', commands = '', ...questions] = blocksOf(section, 'sh')
  const [router = '', provider = ''] = blocksOf(section, 'yaml')
  const answers = blocksOf(section, 'json').map((text) => JSON.parse(text))
  bash(prepare)
  writeFileSync(join(folder, 'router.yaml'), router)
  writeFileSync(join(folder, 'provider.yaml'), provider)
  const [executable = '', ...words] = COMMAND
  const isPlace = (word: string) => word.endsWith('.yaml') || word === 'provider'
  const placed = (word: string, index: number) => (index > 2 && isPlace(word) ? join(folder, word) : word)
  const lines = commands
    .trim()
    .split('\n')
    .map((line) => [...words, ...line.split(' ').map(placed).slice(1)])
  const [first = [], second = [], doctor = []] = lines
  const started = [
    [first, ports[0]],
    [second, ports[1]],
  ] as const
  for (const [args, port] of started)
    children.push(await startChild({ command: [executable, ...args], readyUrl: `http://127.0.0.1:${port}/` }))
  const examined = execFileSync(executable, doctor, { encoding: 'utf8' })
  expect(examined.match(/^ok /gm)).toHaveLength(2)
  expect(questions.map((question) => JSON.parse(bash(question)))).toEqual(answers)
  expect(answers).toHaveLength(2)
  const [context = '', identity = ''] = questions
  expect(JSON.parse(bash(context.replace('"632"', '"1"')))).toMatchObject({ offers: [] })
  expect(JSON.parse(bash(identity.replace('reader-1', 'reader-2')))).toMatchObject({ eligible_package_ids: [] })
})
