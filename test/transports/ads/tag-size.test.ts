import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { TAG_SCRIPT } from '../../../src/transports/ads/tag-script.ts'

const kilobytes = (bytes: number) => Math.round(bytes / 1_000)

it('the documentation says how large the script of pages is', () => {
  const docs = readFileSync(new URL('../../../docs/ad-servers.md', import.meta.url), 'utf8')
  const [, plain, compressed] = /The script has (\d+) kB, and (\d+) kB where a proxy/.exec(docs) ?? []
  expect([plain, compressed].map(Number)).toEqual([kilobytes(TAG_SCRIPT.length), kilobytes(gzipSync(TAG_SCRIPT).length)])
})
