import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The place that the line of {@link prepareAdStore} is shown in, and its size. */
export const SERVED_PLACE = { place: 'news_home_billboard', sizes: ['970x250'] } as const

const DAY_MS = 86_400_000
const COMMAND_MS = 120_000

/** Makes a store in `data` with the demo publisher and one line that is always shown. `command`: words of the command line; `folder`: for the order's file. */
export async function prepareAdStore(command: readonly string[], folder: string, data: string): Promise<void> {
  const [executable = '', ...words] = command
  const order = join(folder, 'order.json')
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const creative = { creative_id: 'image', width: 970, height: 250, image: { url: 'https://cdn.example/a.png' } }
  const line = {
    line_id: 'line',
    product_id: 'news_homepage_display',
    priority: 'house',
    starts_at: at(-1),
    ends_at: at(30),
    creatives: [creative],
  }
  writeFileSync(order, JSON.stringify({ order_id: 'served', name: 'Served', lines: [line] }))
  const run = (...args: string[]) => promisify(execFile)(executable, [...words, ...args, '--data', data], { timeout: COMMAND_MS })
  await run('init', '--demo')
  await run('direct-orders', 'put', order)
}
