import { expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { seeded } from '../../tools/faults/random.ts'
import { drawnTools, drawRequest, drawTool, exampleRequest } from '../../tools/fuzz/drawn-tools.ts'
import { OWN_TOKENS, worldOf } from '../../tools/fuzz/seed-world.ts'

const contracts = loadContracts()
const own = { ...OWN_TOKENS, digest: `sha256:${'a'.repeat(43)}` }
const tools = drawnTools(contracts, worldOf(own, 'https://ads.example/mcp'), 1)

it('calls are drawn of every tool of every release', () => {
  const random = seeded(1)
  const drawn = new Set(Array.from({ length: 20_000 }, () => drawTool(tools, random)))
  expect(new Set([...drawn].map(({ contract }) => contract.line))).toEqual(new Set(contracts.lines))
  expect(drawn.size).toBe(tools.length)
})

it('calls name the release by which their answer is judged', () => {
  const some = contracts.all.flatMap(({ line }) => tools.filter(({ title }) => title === `${line} get_task_status`))
  expect(some).toHaveLength(contracts.all.length)
  const named = some.map((tool) => Object.entries(drawRequest(tool, seeded(2))).find(([name]) => name === 'adcp_version')?.[1])
  expect(named).toEqual(contracts.lines.map((line) => (line === contracts.base.line ? undefined : line)))
})

it('a valid request stands ready for every tool of every release', () => {
  const invalid = tools.flatMap((tool) => {
    const [issue] = tool.contract.schemas.request(tool.task.name)(exampleRequest(tool))
    return issue ? [`${tool.title}: ${issue.pointer} ${issue.message}`] : []
  })
  expect(invalid).toEqual([])
})
