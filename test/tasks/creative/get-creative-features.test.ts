import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Assets } from '../../../src/domain/creative/assets.ts'
import { hostsOf, MOST_HOSTS } from '../../../src/domain/creative/features/code.ts'
import { banner, startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startCreativeAgent()
})
afterAll(() => agent.stop())

async function features(assets: object, more: object = {}, id = 'display_300x250_html5') {
  const creative_manifest = { format_id: { agent_url: agent.url, id }, assets, ...more }
  const { data } = await agent.buyer.call('get_creative_features', { creative_manifest })
  return Object.fromEntries(data.results.map((each: { feature_id: string; value: unknown }) => [each.feature_id, each.value]))
}
const html = (content: string) => ({ html: { asset_type: 'html', content } })

describe('get_creative_features', () => {
  it('a plain image ad does nothing of its own', async () => {
    const { assets } = banner(agent.url, 'x')
    expect(await features(assets, {}, 'display_300x250')).toEqual({
      format_valid: true,
      auto_redirect: false,
      popup: false,
      client_storage: false,
      dynamic_code: false,
      script: false,
      secure_delivery: true,
      external_hosts: 2,
      markup_weight: 0,
      accessible: false,
      ai_involvement: 'undeclared',
    })
  })

  it.each([
    ['auto_redirect', '<script>window.top.location.href = "https://a.example"</script>'],
    ['auto_redirect', '<script>location="https://a.example"</script>'],
    ['auto_redirect', '<script>location.replace(u)</script>'],
    ['auto_redirect', '<meta http-equiv="refresh" content="0;url=https://a.example">'],
    ['popup', '<script>window.open("https://a.example")</script>'],
    ['client_storage', '<script>localStorage.x = 1</script>'],
    ['dynamic_code', '<script>eval(atob(x))</script>'],
    ['script', '<b onmouseover="go()">'],
  ])('%s is found in %s', async (feature, code) => expect((await features(html(code)))[feature]).toBe(true))

  it.each([
    ['auto_redirect', '<script>if (location.href == here) report(window.location.hostname)</script>'],
    ['auto_redirect', '<div data-location="x">'],
    ['secure_delivery', '<svg xmlns="http://www.w3.org/2000/svg"></svg><img src="https://a.example/x.png" alt="">', true],
    ['script', '<p>on sale = now</p>'],
  ])('%s is not seen in %s', async (feature, code, value = false) => expect((await features(html(code)))[feature]).toBe(value))

  it('what is not https, not accessible, or made by a model without saying what it owes', async () => {
    const found = await features(html('<img src="http://a.example/x.png">'), {
      provenance: { digital_source_type: 'trained_algorithmic_media' },
    })
    expect(found).toMatchObject({
      secure_delivery: false,
      accessible: false,
      ai_involvement: 'full',
      ai_disclosure_present: false,
      external_hosts: 1,
    })
  })

  it('says which rule gave a value and what it rests on; only what is asked for', async () => {
    const creative_manifest = { format_id: { agent_url: agent.url, id: 'display_300x250' }, assets: {} }
    const { data } = await agent.buyer.call('get_creative_features', { creative_manifest, feature_ids: ['format_valid'] })
    expect(data.results).toEqual([
      {
        feature_id: 'format_valid',
        value: false,
        confidence: 1,
        measured_at: '2026-03-01T12:00:00.000Z',
        methodology_version: 'rule-evaluator/1',
        details: { evidence: ['assets.image is required by the format (image)'] },
      },
    ])
    const unknown = await agent.buyer.call('get_creative_features', { creative_manifest, feature_ids: ['format_valid', 'mood'] })
    expect(unknown.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'feature_ids[1]' })
  })
})

describe('hosts of code that names very many addresses', () => {
  const assets = (content: string): Assets => ({ html: { asset_type: 'html', content } }) as Assets
  const stepsOf = (steps: ReturnType<typeof hostsOf>) => {
    let count = 0
    for (;;) {
      const { done, value } = steps.next()
      if (done) return { count, hosts: value }
      count += 1
    }
  }

  it('are looked at in steps, and each address once', () => {
    const parse = vi.spyOn(URL, 'canParse')
    const { count, hosts } = stepsOf(hostsOf(assets('http://xyz https://b.example/x '.repeat(10_000))))
    expect(hosts).toEqual(['b.example', 'xyz'])
    expect(count).toBe(20_000)
    expect(parse).toHaveBeenCalledTimes(2)
    parse.mockRestore()
  })

  it('end where as many were found as are counted', () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `http://h${index}.example`)
    const { count, hosts } = stepsOf(hostsOf(assets(names.join(' '))))
    expect(hosts).toHaveLength(MOST_HOSTS)
    expect(count).toBe(MOST_HOSTS)
  })
})
