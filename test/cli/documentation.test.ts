import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandsFor } from '../../src/cli/commands.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'STYLE.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** Commands of this program in code of a page: fenced lines and inline code, without comments. */
function commandsIn(text: string): string[][] {
  const fenced = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) => block.split('\n'))
  const inline = [...text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  return [...fenced, ...inline]
    .map((line) => line.split(/\s#\s/)[0]?.trim() ?? '')
    .flatMap((line) => /^(?:npx )?sales-agent ([a-z].*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.split(/\s*[>|&]\s*/)[0] ?? '')
    .map((line) => line.split(/\s+/))
}

/** What is wrong with a documented command, or undefined: an unknown command or option. */
async function faultIn(words: readonly string[]): Promise<string | undefined> {
  const [first = '', ...rest] = words
  const found = await commandsFor(first)
  let command: Command | undefined = found.length === 1 ? found[0] : undefined
  if (!command) return `no command "${first}"`
  let isPath = true
  for (const word of rest) {
    if (word.startsWith('--')) {
      isPath = false
      const name = word.replace(/[=…].*$/, '')
      if (!command.options.some(({ long }) => long === name)) return `no option ${name} of "${command.name()}"`
    } else if (isPath && command.commands.length > 0) {
      // `list|export|verify` names several.
      const names = word.split('|')
      const next: Command | undefined = command.commands.find((each) => each.name() === names[0])
      if (!next) return `no command "${word}" of "${command.name()}"`
      command = next
    }
  }
  return undefined
}

describe('documentation', () => {
  test('README has at most 12 kB and the two command lines', () => {
    const readme = textOf('README.md')
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(12_000)
    expect(readme).toContain('```sh\nnpm ci && npm start\n```')
    expect(readme).toContain('```sh\nnpm ci && npm test\n```')
  })

  test.each(PAGES)('%s: links lead to files and headings that exist', (page) => {
    const targets = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const broken = targets.filter((target) => !/^https?:/.test(target) && !exists(page, target))
    expect(broken).toEqual([])
  })

  test.each(PAGES)('%s: every command and option of this program exists', async (page) => {
    const faults = await Promise.all(
      commandsIn(textOf(page)).map(async (words) => [words.join(' '), await faultIn(words)] as const),
    )
    expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([])
  })

  test('the map names the file that lists the commands', () => {
    const named = [...textOf('ARCHITECTURE.md').matchAll(/`(src\/cli\/[\w-]*command[\w-]*\.ts)`/g)].map(([, path = '']) => path)
    expect([...new Set(named)]).toEqual(['src/cli/command-table.ts'])
    expect(textOf('src/cli/command-table.ts')).toContain('export const COMMANDS')
  })

  test('the map names files and folders that exist', () => {
    const named = [...textOf('ARCHITECTURE.md').matchAll(/`((?:src|test|schemas|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)
    const madeUp = /(?:area\/|x-y|\/x\.ts)/
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((path) => !madeUp.test(path) && !existsSync(join(root, path)))).toEqual([])
  })
})

function exists(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, file))) return false
  return heading === undefined || headingsOf(textOf(file)).includes(heading)
}

/** The anchors that GitHub gives headings. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
