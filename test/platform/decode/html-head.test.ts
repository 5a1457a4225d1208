import { describe, expect, it } from 'vitest'
import { headContentStart } from '../../../src/platform/decode/html-head.ts'

const upToHead = (page: string) => {
  const at = headContentStart(page)
  return at === undefined ? undefined : page.slice(0, at)
}

describe('the head of a page', () => {
  it.each([
    ['<!doctype html><html><head><title>x', '<!doctype html><html><head>'],
    ['<HTML><HEAD\nlang="en">x', '<HTML><HEAD\nlang="en">'],
    ['<header>x</header><head/>y', '<header>x</header><head/>'],
    [`<head data-x="${'x'.repeat(5_000)}">y`, `<head data-x="${'x'.repeat(5_000)}">`],
    ['İİİ<head>x', 'İİİ<head>'],
  ])('begins behind its tag: %.40s', (page, expected) => {
    expect(upToHead(page)).toBe(expected)
  })

  it.each(['', 'x', '<header>', '<head', '<head-x>', '<head '.repeat(100_000), '<head'.repeat(100_000)])(
    'is not there: %.20s',
    (page) => {
      expect(upToHead(page)).toBeUndefined()
    },
  )
})
