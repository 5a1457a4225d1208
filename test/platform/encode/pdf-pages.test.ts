import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, vi } from 'vitest'
import { decode } from '../../../src/platform/decode/decode.ts'
import { writtenPdf, writtenSheet } from '../../../src/platform/decode/written-file.ts'
import { fittedText } from '../../../src/platform/encode/fitted-text.ts'
import { type TablePages, tablePdf } from '../../../src/platform/encode/pdf-pages.ts'

const pagesOf = (text: string): TablePages => ({
  ...{ title: text, blocks: [[text, text]], facts: [[text, text]], columns: [text, 'Sum'], firstNumber: 1, below: [text] },
  ...{ rows: [[`${text}\n${text}`, '1']], totals: [[text, '1']], language: 'en', madeAt: '1970-01-01T00:00:00.000Z' },
  pageText: '{page} / {of}',
})

it('words of any length and texts of any length are laid out at once', async () => {
  const since = performance.now()
  const bytes = Buffer.from(await tablePdf(pagesOf('x'.repeat(200_000))))
  expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-')
  // Uncut, one of these texts takes minutes.
  expect(performance.now() - since).toBeLessThan(20_000)
}, 60_000)

it('files are made in a thread, and others are served meanwhile', async () => {
  const rows = Array.from({ length: 300 }, (_, index) => [`Line ${index}`, '1'])
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  const pdf = Buffer.from(await writtenPdf({ ...pagesOf('A title'), rows }))
  clearInterval(timer)
  expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-')
  // Made in this thread, the pages are laid out and joined in a few turns.
  expect(turns).toBeGreaterThan(5)
  const sheet = Buffer.from(await writtenSheet({ sheet: 'Lines', headings: ['What', 'Sum'], rows: [['Line', 1.5]] }))
  expect(JSON.stringify(await decode('workbook', { bytes: sheet }))).toContain('Line')
})

it('a text for a page has words of at most 60 characters and says where it is cut', () => {
  expect(fittedText('a b', 10)).toBe('a b')
  expect(fittedText('y'.repeat(60), 100)).toBe('y'.repeat(60))
  expect(fittedText('y'.repeat(61), 100)).toBe(`${'y'.repeat(60)}\ny`)
  expect(fittedText(`${'y'.repeat(60)} ${'z'.repeat(60)}`, 200)).toBe(`${'y'.repeat(60)} ${'z'.repeat(60)}`)
  expect(
    fittedText('\u00a0'.repeat(130), 200)
      .split('\n')
      .map((line) => line.length),
  ).toEqual([60, 60, 10])
  expect(
    fittedText('😀'.repeat(70), 200)
      .split('\n')
      .map((line) => [...line].length),
  ).toEqual([60, 10])
  expect(fittedText('a b '.repeat(100), 20)).toBe(`${'a b '.repeat(4)}a b…`)
  expect(fittedText(`abc${'😀'.repeat(9)}`, 5)).toBe('abc…')
})

it('a font is read once, however many texts are written in it', async () => {
  const read = vi.spyOn(fs, 'readFileSync')
  syncBuiltinESMExports()
  try {
    await tablePdf({ ...pagesOf('A title'), rows: Array.from({ length: 20 }, (_, index) => [`Line ${index}`, '1']) })
    const fonts = read.mock.calls.map(([path]) => String(path)).filter((path) => path.endsWith('.ttf'))
    expect(new Set(fonts).size).toBe(2)
    expect(fonts).toHaveLength(2)
  } finally {
    read.mockRestore()
    syncBuiltinESMExports()
  }
})
