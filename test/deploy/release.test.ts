import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { judgeRelease } from '../../tools/check-release.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'))

it('a release is of the version of package.json, and CHANGELOG.md tells of it', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n## 1.0.0-rc.1 (2026-11-30)\n\n## 1.0.0\n'
  expect(judgeRelease('v1.0.0-rc.1', '1.0.0-rc.1', changelog)).toEqual({ tag: 'next' })
  expect(judgeRelease('v1.0.0', '1.0.0', changelog)).toEqual({ tag: 'latest' })
  expect(judgeRelease('v1.0.1', '1.0.0', changelog)).toEqual({ fault: expect.stringContaining('tag v1.0.0') })
  expect(judgeRelease('v1.0.1', '1.0.1', changelog)).toEqual({ fault: expect.stringContaining('"## 1.0.1"') })
})

it('the workflow publishes with provenance, after tests, and keeps no token', () => {
  const { publish } = workflow.jobs
  expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
  const commands: string[] = publish.steps.flatMap(({ run }: { run?: string }) => run ?? [])
  const at = (start: string) => commands.findIndex((command) => command.startsWith(start))
  expect(at('npm publish --provenance')).toBe(commands.length - 1)
  for (const start of ['npm ci', 'npx tsx tools/check-release.ts', 'npm run build -- --require-all', 'npm test'])
    expect(at(start), start).toBeGreaterThanOrEqual(0)
  expect(JSON.stringify(workflow)).not.toContain('secrets.')
})

it('the version is one of semantic versioning', () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/)
})

it('what calls other agents names the version; it loads no file of the package, since buyers load it alone', () => {
  expect(readFileSync('src/platform/net/call-tool.ts', 'utf8')).toContain(`version: '${version}' }`)
})
