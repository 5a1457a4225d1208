import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { Contract } from '../../src/protocol/contract.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { TASKS } from '../../src/tasks/index.ts'
import { filesIn, repository, sourceFolder } from '../support/source-files.ts'

/** What the tasks are written in. */
const contract = new Contract(BASE_SOURCE)
const { manifest, schemas } = contract
const files = filesIn(sourceFolder)

it('every task has its schemas, its file and its test', () => {
  const problems = TASKS.flatMap((task) => {
    const kebab = task.name.replaceAll('_', '-')
    const file = files.find((each) => each.path.startsWith('tasks/') && each.path.endsWith(`/${kebab}.ts`))
    const tested = file && existsSync(join(repository, 'test', file.path.replace(/\.ts$/, '.test.ts')))
    return [
      ...(task.since !== undefined || schemas.pathsOf(task.name) ? [] : [`${task.name} has no schemas`]),
      ...(file ? [] : [`${task.name} has no file ${kebab}.ts`]),
      ...(tested ? [] : [`${task.name} has no test`]),
    ]
  })
  expect(problems).toEqual([])
})

it('every task file is a registered task, once', () => {
  const names = TASKS.map((task) => task.name)
  expect(new Set(names).size).toBe(names.length)
  for (const file of files.filter((each) => each.path.startsWith('tasks/') && each.text.includes('defineTask<'))) {
    const name = /name: '([a-z_]+)'/.exec(file.text)?.[1]
    expect(names, file.path).toContain(name)
  }
})

it('every tool of the manifest that is registered lies under the folder of its schema', () => {
  const wrong = TASKS.filter((task) => manifest.tools[task.name] && task.name !== 'comply_test_controller').filter((task) => {
    const folder = dirname(manifest.tools[task.name]?.request_schema ?? '')
    return !existsSync(join(sourceFolder, 'tasks', folder, `${task.name.replaceAll('_', '-')}.ts`))
  })
  expect(wrong.map((task) => task.name)).toEqual([])
})

it('every task says whether it changes state as the manifest does', () => {
  const told = TASKS.filter((task) => Object.hasOwn(manifest.tools, task.name))
  expect(told.filter((task) => task.mutating !== manifest.tools[task.name]?.mutating).map(({ name }) => name)).toEqual([])
  const later = loadContracts()
  const isToldLater = (name: string) => later.having(name)[0]?.manifest.tools[name]?.mutating ?? false
  const silent = TASKS.filter((task) => !told.includes(task) && task.mutating && !isToldLater(task.name))
  expect(silent.map(({ name }) => name)).toEqual([])
})

it('every error code is one of the manifest', () => {
  const wrong = files.flatMap((file) =>
    [...file.text.matchAll(/new AdcpError\(\s*'([A-Z_]+)'/g)]
      .map(([, code = '']) => code)
      .filter((code) => !contract.knowsCode(code)),
  )
  expect(wrong).toEqual([])
})
