import { expect, test } from 'vitest'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { relevanceOf } from '../../../src/domain/product/relevance.ts'
import { unmatchedNote } from '../../../src/domain/product/unmatched-words.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const own = { ...product('zqx_premium_display', { name: 'Premium Germany', description: 'banners' }), id: 'zqx_premium_display' }
const other = product('premium_news', { name: 'Premium News' })
const index = buildIndex([own, other])
const said = (of: typeof own, brief: string) => relevanceOf(of, readBrief(brief), { index, prices: false })
const offered = new Map([own, other].map((each) => [each.id, each]))

test('a product that a brief names by its id is said to be named by it, and not by its name', () => {
  expect(said(own, 'zqx_premium_display')).toBe('Named by its id.')
  expect(said(own, 'zqx_premium_display in Germany, display')).toMatch(
    /^Named by its id\. Matches the rest of the brief by .*display/,
  )
  expect(said(own, 'premium news')).toBe('Matches the brief by name (premium).')
})

test('words of the id of a product on offer are not called unknown', () => {
  expect(unmatchedNote(readBrief('zqx_premium_display'), index, offered)).toEqual([])
  expect(unmatchedNote(readBrief('zqx_premium_video'), index, offered).join()).toContain('zqx')
})
