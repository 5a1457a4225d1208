import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../tools/agent/child.ts'
import { COMMAND } from '../../tools/agent/command-line.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'directory-example-'))
  mkdirSync(join(folder, 'bin'))
  // `exec`: what the page kills is the command itself.
  writeFileSync(join(folder, 'bin/sales-agent'), `#!/bin/sh\nexec ${COMMAND.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
    mode: 0o755,
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))

/** The commands of the section, in one shell as a person runs them, and what it shows that they print. */
async function example(): Promise<{ readonly script: string; readonly printed: string }> {
  const page = readFileSync('docs/directory.md', 'utf8')
  const [, section = ''] = /^## Try it on one machine\n([\s\S]*?)^## /m.exec(page) ?? []
  const blocks = (language: string) =>
    [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text).join('')
  const script = blocks('sh')
    .replaceAll('9443', String(await freePort()))
    .replaceAll('3100', String(await freePort()))
    // What the seconds are for, however busy this machine is.
    .replace('sleep 4;', 'until [ "$(sales-agent directory list | grep -c "on this machine")" = 1 ]; do sleep 0.2; done;')
  return { script: `trap 'kill $(jobs -p)' EXIT\n${script}`, printed: blocks('text') }
}

/** Without what differs from run to run. */
const timeless = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/process \d+ /g, 'process N ')
    .replaceAll(/-+/g, '-')

it('the example of the documentation crawls, is killed and goes on, and shows a revocation, with the output that it prints', async () => {
  const { script, printed } = await example()
  const environment = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  const output = execFileSync('bash', ['-c', script], { cwd: folder, env: environment, encoding: 'utf8', stdio: 'pipe' })
  expect(timeless(output)).toBe(timeless(printed))
  const { publishers } = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'))
  expect(publishers.map((row: { publisher_domain: string }) => row.publisher_domain)).toEqual([
    'blog.example',
    'news.example',
    'radio.example',
    'slow.example',
  ])
})
