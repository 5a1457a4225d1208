import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadStoryboardFile, type Storyboard, type StoryboardResult } from '@adcp/sdk/testing'
import { describe, expect, test } from 'vitest'
import { judgeOwn } from '../../tools/storyboards/ceiling.ts'
import { type Act, type Operator, perform, valueAt, withValues } from '../../tools/storyboards/operator.ts'
import { type OwnStory, ownStories, type PlayPhase, playOwn } from '../../tools/storyboards/own.ts'
import { verdictOf } from '../../tools/storyboards/verdict.ts'

const nobody: Operator = { command: async () => ({}), publish: async () => {} }

describe('an act of an operator', () => {
  test('takes values into the command and keeps what it printed', async () => {
    const asked: string[][] = []
    const operator: Operator = {
      ...nobody,
      command: async (args) => {
        asked.push([...args])
        return { items: [{ id: 'k1' }], state: 'on' }
      },
    }
    const act: Act = { run: ['keys', 'create', '$context.who'], keep: { key: 'items[0].id' }, expect: { state: 'on' } }
    expect(await perform(act, operator, { who: 'rival' })).toEqual({ key: 'k1' })
    expect(asked).toEqual([['keys', 'create', 'rival']])
  })

  test('fails on another value, on a missing one, and on a name that nothing gave', async () => {
    const operator: Operator = { ...nobody, command: async () => ({ state: 'off' }) }
    await expect(perform({ run: ['x'], expect: { state: 'on' } }, operator, {})).rejects.toThrow('state is "off", not "on"')
    await expect(perform({ run: ['x'], keep: { key: 'token' } }, operator, {})).rejects.toThrow('x printed no token')
    await expect(perform({ run: ['$context.gone'] }, operator, {})).rejects.toThrow('$context.gone')
  })

  test('publishes a file with values in it', async () => {
    const published: unknown[] = []
    const operator: Operator = { ...nobody, publish: async (domain, file) => void published.push([domain, file]) }
    const file = { authorized_agents: [{ url: '$context.url' }] }
    await perform({ publish: { domain: 'bay.example', adagents: file } }, operator, { url: 'https://a.example' })
    expect(published).toEqual([['bay.example', { authorized_agents: [{ url: 'https://a.example' }] }]])
  })

  test('values are those of whole texts, of any type, and of paths', () => {
    expect(withValues({ a: ['$context.n', 'in $context.n'] }, { n: 1 })).toEqual({ a: [1, 'in $context.n'] })
    expect([valueAt([{ a: { b: 2 } }], '[0].a.b'), valueAt({ a: null }, 'a.b'), valueAt({}, 'constructor.name')]).toEqual([
      2,
      undefined,
      undefined,
    ])
  })
})

const step = (id: string, more: object = {}) => ({ id, title: id, task: 'get_products', ...more })
const story = (phases: object[], more: object = {}) => ({ id: 's', title: 'S', phases, ...more }) as unknown as OwnStory

/** Answers every step with what `answers` says of it: a context value, or a failure. */
function playing(answers: Readonly<Record<string, object | 'fails'>>) {
  const seen: { phase: string; values: object; key: string | undefined; auth: unknown }[] = []
  const play: PlayPhase = async (storyboard, values, key) => {
    const [phase] = storyboard.phases
    if (!phase || storyboard.phases.length !== 1) throw new Error('one phase at a time')
    seen.push({ phase: phase.id, values, key, auth: phase.steps[0]?.auth })
    const answer = answers[phase.id] ?? {}
    const passed = answer !== 'fails'
    return {
      ...(await playOwn(story([]), play, nobody)),
      overall_passed: passed,
      context: passed ? { ...answer } : {},
      phases: [
        {
          phase_id: phase.id,
          phase_title: phase.id,
          passed,
          duration_ms: 1,
          steps: phase.steps.map(({ id }) => ({ ...resultOf(id, phase.id), passed })),
        },
      ],
      passed_count: passed ? 1 : 0,
      failed_count: passed ? 0 : 1,
    }
  }
  return { seen, play }
}
const resultOf = (step_id: string, phase_id: string): StoryboardResult['phases'][number]['steps'][number] => ({
  step_id,
  phase_id,
  title: step_id,
  task: 'get_products',
  passed: true,
  duration_ms: 1,
  validations: [],
  context: {},
  extraction: { path: 'none' },
})
const verdict = async (played: Promise<StoryboardResult>) => judgeOwn(verdictOf(await played, new Set()))

describe('a story', () => {
  test('goes phase by phase: values, keys and acts in between reach the later ones', async () => {
    const acts: string[] = []
    const operator: Operator = {
      ...nobody,
      command: async (args) => {
        acts.push(args.join(' '))
        return { token: 'secret' }
      },
    }
    const { seen, play } = playing({ one: { buy: 'mb_1' } })
    const phases = [
      { id: 'one', title: '', steps: [step('a')] },
      {
        id: 'two',
        title: '',
        'x-operator': [{ run: ['approve', '$context.buy'], keep: { key: 'token' } }],
        'x-as': '$context.key',
        steps: [step('b', { auth: { type: 'api_key', value: '$context.key' } })],
      },
    ]
    const judged = await verdict(playOwn(story(phases, { 'x-afterwards': [{ run: ['tidy'] }] }), play, operator))
    expect([judged.status, judged.kept, judged.steps.passed]).toEqual(['passed', true, 2])
    expect(acts).toEqual(['approve mb_1', 'tidy'])
    expect(seen).toEqual([
      { phase: 'one', values: {}, key: undefined, auth: undefined },
      {
        phase: 'two',
        values: { buy: 'mb_1', key: 'secret' },
        key: 'secret',
        auth: { type: 'api_key', value: 'secret' },
      },
    ])
  })

  test('ends with a failure where an act fails, and tidies up all the same', async () => {
    const acts: string[] = []
    const operator: Operator = {
      ...nobody,
      command: async ([word = '']) => {
        acts.push(word)
        if (word === 'approve') throw new Error('there is no such task')
        return {}
      },
    }
    const { seen, play } = playing({})
    const phases = [
      { id: 'one', title: '', 'x-operator': [{ run: ['approve'] }], steps: [step('a')] },
      { id: 'two', title: '', steps: [step('b')] },
    ]
    const judged = await verdict(playOwn(story(phases, { 'x-afterwards': [{ run: ['tidy'] }] }), play, operator))
    expect(judged.failures).toMatchObject([{ step: 'one:operator', message: expect.stringContaining('no such task') }])
    expect([judged.kept, seen, acts]).toEqual([false, [], ['approve', 'tidy']])
  })

  test('a failed step breaks it, a story without steps is no success', async () => {
    const { play } = playing({ one: 'fails' })
    expect((await verdict(playOwn(story([{ id: 'one', title: '', steps: [step('a')] }]), play, nobody))).kept).toBe(false)
    expect((await verdict(playOwn(story([]), play, nobody))).kept).toBe(false)
  })

  test('a skipped step breaks it, too: nothing of our own may be missing', () => {
    const skipped = { ...resultOf('b', 'one'), skipped: true, skip: { reason: 'missing_tool' as const, detail: '' } }
    const phases = [{ phase_id: 'one', phase_title: '', passed: true, duration_ms: 1, steps: [resultOf('a', 'one'), skipped] }]
    const result = { phases, overall_passed: true, storyboard_id: 's', total_duration_ms: 1, failed_count: 0 }
    const { status, kept } = judgeOwn(verdictOf(result as unknown as StoryboardResult, new Set()))
    expect([status, kept]).toEqual(['passed', false])
  })
})

describe('the files', () => {
  test('are read in the order of their names, and nothing else beside them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stories-'))
    try {
      for (const name of ['b.yaml', 'a.yaml', 'notes.md']) writeFileSync(join(folder, name), name)
      const read = ownStories((file) => ({ id: file.slice(folder.length + 1) }) as unknown as Storyboard, folder)
      expect(read.map(({ id }) => id)).toEqual(['a.yaml', 'b.yaml'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('of this project are in the official format; every id is their own, every step checks something or makes something', () => {
    const stories = ownStories(loadStoryboardFile)
    expect(stories.length).toBeGreaterThan(10)
    expect(new Set(stories.map(({ id }) => id)).size).toBe(stories.length)
    for (const { id, phases } of stories) {
      const steps = phases.flatMap((phase) => phase.steps)
      expect(new Set(steps.map((each) => each.id)).size, id).toBe(steps.length)
      const idle = steps.filter((each) => !each.stateful && (each.validations ?? []).length === 0 && !each.context_outputs)
      expect(idle.map((each) => `${id}/${each.id}`)).toEqual([])
    }
  })
})
