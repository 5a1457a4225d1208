import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('banner', { name: 'Sports banner', channels: ['display'] }),
    productDocument('clip', { name: 'Sports clip', channels: ['olv'] }),
  ])
})
afterAll(() => agent?.stop())

const notesOf = async (args: object): Promise<string[]> =>
  (await agent.buyer.call('get_products', { buying_mode: 'brief', ...args })).data.ext?.notes ?? []

describe('media that nothing on offer is', () => {
  it.each([
    ['audio and display for sports fans', 'Nothing here is audio; what is offered is display, olv.'],
    ['podcasts', 'Nothing here is podcasts; what is offered is display, olv.'],
    ['radio and cinema, EUR 5,000', 'Nothing here is radio, cinema; what is offered is display, olv.'],
  ])('is said in one line for "%s"', async (brief, note) => {
    expect(await notesOf({ brief })).toContain(note)
  })

  it.each(['sports video', 'display', 'sports, no audio', 'sports fans'])('is not said for "%s"', async (brief) => {
    expect((await notesOf({ brief })).filter((note) => note.startsWith('Nothing here is'))).toEqual([])
  })

  it('is said of filters, too', async () => {
    expect(await notesOf({ brief: 'sports', filters: { channels: ['podcast', 'olv'] } })).toContain(
      'Nothing here is podcast; what is offered is display, olv.',
    )
  })
})
