import { describe, expect, it } from 'vitest'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { isOfWantedMedia } from '../../../src/domain/product/brief-media.ts'
import { product } from '../../support/media-buy-fixtures.ts'

const aloneIn = (text: string) => readBrief(text).hints.mediaAlone?.map(({ name }) => name) ?? []
const of = (...channels: ('display' | 'olv' | 'ctv')[]) => {
  const { offer, ...rest } = product('any')
  return { ...rest, offer: { ...offer, channels } }
}

describe('media that a brief wants alone', () => {
  it.each([
    ['sports fans, display only, USD 10,000', ['display']],
    ['only display for sports fans', ['display']],
    ['display ads only', ['display']],
    ['just banners, please', ['banners']],
    ['nothing but CTV for sports fans', ['CTV']],
    ['video and display only, 50k', ['video', 'display']],
    ['CTV alone', ['CTV']],
    ['nur Display für Sportfans', ['Display']],
    ['endast video', ['video']],
  ])('are read from "%s"', (text, names) => {
    expect(aloneIn(text)).toEqual(names)
  })

  it.each([
    'display only in Sweden',
    'display, only in Sweden',
    'we only pay for clicks, sports display',
    'display for sports fans, weekends only',
    'banners that fill themselves and only show near each store',
    'guaranteed only, display',
    'display for women only',
    'not only display',
  ])('are none in "%s"', (text) => {
    expect(aloneIn(text)).toEqual([])
  })

  it('leave out others, and so do media that are not wanted', () => {
    const leaves = (text: string) =>
      [of('display'), of('olv'), of('ctv'), of('display', 'ctv')]
        .filter((each) => isOfWantedMedia(each, readBrief(text)))
        .map(({ offer }) => offer.channels?.join('+'))
    expect(leaves('display only')).toEqual(['display', 'display+ctv'])
    expect(leaves('no video')).toEqual(['display', 'display+ctv'])
    expect(leaves('not CTV')).toEqual(['display', 'olv', 'display+ctv'])
    expect(leaves('video only, no CTV')).toEqual(['olv'])
    expect(leaves('sports fans')).toHaveLength(4)
  })
})

describe('delivery that a brief asks for', () => {
  it.each([
    ['guaranteed display', undefined, 'guaranteed'],
    ['sports fans, guaranteed, USD 10,000', undefined, 'guaranteed'],
    ['programmatic guaranteed display', undefined, 'guaranteed'],
    ['programmatic for sports fans', undefined, 'non_guaranteed'],
    ['non-guaranteed display', undefined, 'non_guaranteed'],
    ['open auction, cheap', undefined, 'non_guaranteed'],
    ['guaranteed only', 'guaranteed', undefined],
    ['programmatic only', 'non_guaranteed', undefined],
    ['no auctions', 'guaranteed', undefined],
    ['no guaranteed inventory', 'non_guaranteed', undefined],
    ['no non-guaranteed delivery', 'guaranteed', undefined],
    ['guaranteed or auction, both are fine', undefined, undefined],
    ['brand safety guaranteed', undefined, undefined],
    ['viewability guaranteed to 70%', undefined, undefined],
    ['display for sports fans', undefined, undefined],
  ])('"%s": alone %s, rather %s', (text, alone, rather) => {
    const { delivery, leaning } = readBrief(text).hints
    expect([delivery, leaning]).toEqual([alone, rather])
  })
})
