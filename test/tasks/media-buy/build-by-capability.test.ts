import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, contracts: loadContracts() })
})
afterAll(() => agent.stop())

const build = (args: object, adcp_version = '3.2') =>
  agent.buyer.call('build_creative', { adcp_version, idempotency_key: randomUUID(), message: 'Tents for two', ...args })
const HTML = 'display_300x250_html5'

it('a target of 3.2 is one of the capabilities that are declared, and its manifest has the names of its kind', async () => {
  const { data } = await agent.buyer.call('get_adcp_capabilities', { adcp_version: '3.2' })
  const declared = data.creative.supported_formats.find(({ capability_id: id }: { capability_id: string }) => id === HTML)
  expect(declared.operations).toContain('build')
  const { data: built } = await build({ target_capability_id: HTML, include_preview: true })
  const { format_id, format_kind, assets } = built.creative_manifest
  expect([format_id, format_kind]).toEqual([undefined, declared.format.format_kind])
  const slots = declared.format.params.slots.map(({ asset_group_id: slot }: { asset_group_id: string }) => slot)
  expect(slots).toContain('html5_bundle')
  expect(Object.keys(assets)).toContain('html5_bundle')
  expect(built.preview.previews).toHaveLength(1)
  expect(built.ext?.ignored_members).toBeUndefined()
})

it('several targets are several manifests', async () => {
  const ids = [HTML, 'display_728x90_html5']
  const { data } = await build({ target_capability_ids: ids })
  expect(data.creative_manifests.map(({ format_kind }: { format_kind: string }) => format_kind)).toEqual(['html5', 'html5'])
  const { data: varied } = await build({ target_capability_id: HTML, max_variants: 2 })
  expect(varied.creatives[0].variants[0].creative_manifest).toMatchObject({ format_kind: 'html5' })
})

it('an unknown capability is refused by its own name, and one in a call of an earlier release with what to send', async () => {
  const { data } = await build({ target_capability_ids: [HTML, 'takeover'] })
  expect(data.adcp_error).toMatchObject({
    code: 'FORMAT_NOT_SUPPORTED',
    field: 'target_capability_ids[1]',
    recovery: 'correctable',
  })
  const { data: early } = await build({ target_capability_id: HTML }, '3.1')
  expect(early.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'target_capability_id' })
  expect(early.adcp_error.suggestion).toContain('target_format_id')
})
