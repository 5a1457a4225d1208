import { expect, it } from 'vitest'
import { inImportTurn } from '../../../src/operator/imports/import-turn.ts'
import { decodeRefusals } from '../../../src/platform/decode/decode-refusals.ts'

const LARGE = { name: 'a.csv', size: 300_000 }

/** Work that ends when the test says so. */
function held() {
  let running = 0
  let most = 0
  const ends: (() => void)[] = []
  return {
    ends,
    most: () => most,
    async work() {
      running++
      most = Math.max(most, running)
      await new Promise<void>((end) => ends.push(end))
      running--
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('large files and workbooks are imported one at a time, four wait, and the next is told to come again', async () => {
  const { work, ends, most } = held()
  const files = [LARGE, { name: 'b.xlsx', size: 3_000 }, LARGE, { name: 'C.XLSX', size: 1 }, LARGE]
  const imports = files.map((file, index) => inImportTurn(`publisher ${index}`, file, work))
  const before = decodeRefusals().get('import queue') ?? 0
  await expect(inImportTurn('another', LARGE, work)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: 'other large files are being imported; try again in a minute',
    retryAfter: 60,
  })
  expect(decodeRefusals().get('import queue')).toBe(before + 1)
  // Who has a small file waits for none of them.
  expect(await inImportTurn('another', { name: 'small.csv', size: 200 }, async () => 'done')).toBe('done')
  for (let ended = 0; ended < files.length; ended++) {
    await settled()
    expect(ends).toHaveLength(ended + 1)
    ends[ended]?.()
  }
  await Promise.all(imports)
  expect(most()).toBe(1)
})

it('what an import throws gives the turn on', async () => {
  await expect(inImportTurn('one', LARGE, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong')
  expect(await inImportTurn('one', LARGE, async () => 'done')).toBe('done')
})
