import { execFileSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { reachableFrom } from '../../tools/pack-library.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Paths of the files that `npm pack` takes. */
let packed: ReadonlySet<string>
beforeAll(() => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: repository,
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: 240_000,
    maxBuffer: 2 ** 26,
  })
  const [archive]: readonly { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(output)
  packed = new Set(archive?.files.map(({ path }) => path))
})

it.each(['index.js', 'index.d.ts', 'ad-server.js', 'ad-server.d.ts', 'ranking.js', 'ranking.d.ts'])(
  'what dist/%s imports is packed',
  (entry) => {
    const needed = [...reachableFrom(join(repository, 'dist', entry)).files].map((file) => relative(repository, file))
    expect(needed.length).toBeGreaterThan(entry === 'ranking.js' ? 0 : 1)
    expect(needed.filter((file) => !packed.has(file))).toEqual([])
  },
)

it('types of what nobody can import and source maps are not', () => {
  expect([...packed].filter((file) => file.endsWith('.d.ts')).length).toBeLessThan(300)
  expect([...packed].filter((file) => file.endsWith('.map'))).toEqual([])
})
