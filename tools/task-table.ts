import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parse } from 'yaml'
import { Schemas } from '../src/protocol/schemas.ts'
import { TASKS } from '../src/tasks/index.ts'

const OFFICIAL = 'node_modules/@adcp/sdk/compliance/cache'
/** Files of the store that hold no aggregate: how statements are made and run. */
const PLUMBING = new Set(['database', 'chunks', 'hot-query', 'tables', 'product-cache'])

/** The table of tasks in docs/tasks.md: for each what it stores and reads (files of `src/store`) and which official storyboards play it. */
export function taskTable(): string {
  const files = taskFiles()
  const stories = storiesByTask()
  const rows = TASKS.map((task) => {
    const names = [task.name, ...task.aliases].map((name) => `\`${name}\``).join(', ')
    const tier = task.sandboxOnly ? 'sandbox' : task.access
    const stores = storesOf(files.get(task.name) ?? '').join(', ') || '–'
    const played = stories.get(task.name)?.size ?? 0
    const cells = [names, tier, `\`adcp:${task.scope}\``, task.mutating ? 'yes' : '', stores, String(played), task.summary]
    return `| ${cells.join(' | ')} |`
  })
  const { manifest } = new Schemas()
  const official = Object.keys(manifest.tools)
  const served = new Set(TASKS.map((task) => task.name))
  const missing = official.filter((name) => !served.has(name))
  const count = `${official.length - missing.length} of the ${official.length} tools of AdCP ${manifest.adcp_version}`
  return [
    `${count}${missing.length === 0 ? '' : `; not yet: ${missing.join(', ')}`}, and ${TASKS.length - official.length + missing.length} more.`,
    '',
    '| task | tier | scope | changes state | stores and reads ([src/store](../src/store)) | official storyboards | what it does |',
    '|---|---|---|---|---|--:|---|',
    ...rows,
  ].join('\n')
}

/** The file of every task, by the name that it defines. */
function taskFiles(): ReadonlyMap<string, string> {
  const all = readdirSync('src/tasks', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const named = all.flatMap((path) => {
    const file = join('src/tasks', path)
    const name = /defineTask[\s\S]*?\bname: '([a-z_]+)'/.exec(readFileSync(file, 'utf8'))?.[1]
    return name === undefined ? [] : [[name, file] as const]
  })
  return new Map(named)
}

/** Aggregates of the store that a task's file leads to, itself or through other files of `src/tasks`. */
function storesOf(file: string): string[] {
  const seen = new Set<string>()
  const stores = new Set<string>()
  const visit = (path: string) => {
    if (seen.has(path) || path === '') return
    seen.add(path)
    for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/^import (?!type).*?from '(\.[^']+)'/gms)) {
      const imported = relative('.', resolve(dirname(path), target))
      if (imported.startsWith('src/tasks/') && imported !== 'src/tasks/index.ts') visit(imported)
      const store = /^src\/store\/(?:[a-z-]+\/)?([a-z-]+)\.ts$/.exec(imported)?.[1]
      if (store !== undefined && !PLUMBING.has(store)) stores.add(store)
    }
  }
  visit(file)
  return [...stores].sort()
}

/** Official storyboards by the tasks that their steps call. */
function storiesByTask(): ReadonlyMap<string, Set<string>> {
  const stories = new Map<string, Set<string>>()
  const files = readdirSync(OFFICIAL, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'))
  for (const path of files) {
    const story: unknown = parse(readFileSync(join(OFFICIAL, path), 'utf8'))
    if (typeof story !== 'object' || story === null || !('phases' in story) || !('id' in story)) continue
    for (const [, task = ''] of JSON.stringify(story.phases).matchAll(/"task":"([a-z_]+)"/g)) {
      stories.set(task, (stories.get(task) ?? new Set()).add(String(story.id)))
    }
  }
  return stories
}
