import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { rootsOf } from '../../src/protocol/contract-files/contract-documents.ts'
import { readContractFolder } from '../../src/protocol/contract-files/read-contract-folder.ts'
import { sdkRelease } from '../../src/protocol/contract-source.ts'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

it('every official schema that the server judges by is compiled by the build: its first use holds nobody up', () => {
  const { manifest, documents } = readContractFolder(sdkRelease().folder)
  const roots = new Set(rootsOf(manifest, documents.keys()))
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const judged = files.flatMap((path) =>
    [...readFileSync(join(SOURCE, path), 'utf8').matchAll(/\.validator\('([a-z-]+(?:\/[a-z-]+)*\.json)'\)/g)].map(
      ([, name = '']) => name,
    ),
  )
  const ofPrices = [...documents.keys()].filter((path) => path.startsWith('pricing-options/') && path.endsWith('-option.json'))
  expect(judged.length).toBeGreaterThan(10)
  expect(ofPrices.length).toBeGreaterThan(5)
  expect([...judged, ...ofPrices].filter((path) => documents.has(path) && !roots.has(path))).toEqual([])
})
