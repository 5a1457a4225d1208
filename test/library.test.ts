import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ENTRY = fileURLToPath(new URL('../src/index.ts', import.meta.url))

/** Files and packages that a module reaches: by what it runs, or with `types` by what its declarations name too. */
function reach(entry: string, types: boolean): { files: Set<string>; packages: Set<string> } {
  const found = { files: new Set<string>(), packages: new Set<string>() }
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.files.has(file)) continue
    found.files.add(file)
    for (const [, typeOnly, names = '', target = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (type )?([^'"]*?)from '([^']+)'/gm,
    )) {
      const isType = typeOnly !== undefined || /^\{\s*(?:type \w+(?: as \w+)?,?\s*)+\}\s*$/.test(names)
      if (isType && !types) continue
      if (target.startsWith('.')) open.push(join(dirname(file), target))
      else if (!target.startsWith('node:')) found.packages.add(packageOf(target))
    }
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/import\('(\.[^']+)'\)/g))
      open.push(join(dirname(file), target))
  }
  return found
}

/** The package that a module belongs to. */
function packageOf(target: string): string {
  return target.split('/', target.startsWith('@') ? 2 : 1).join('/')
}

it('who only verifies needs few packages and nothing of the server', () => {
  const { files, packages } = reach(ENTRY, false)
  expect([...packages].sort()).toEqual(['tldts', 'undici'])
  expect([...files].filter((file) => /\/src\/(store|tasks|pipeline|transports|compose|config|cli)\//.test(file))).toEqual([])
  expect(files.size).toBeLessThan(55)
  expect([...files].every(existsSync)).toBe(true)
})

it('its types name nothing of the server either', () => {
  const { files, packages } = reach(ENTRY, true)
  expect([...packages].sort()).toEqual(['tldts', 'undici'])
  expect([...files].filter((file) => /\/src\/(store|tasks|pipeline|transports|compose|config|cli)\//.test(file))).toEqual([])
})
