import { consoleRouteTable } from './console-routes.ts'

/** Views of lists, which are in the address: filters, sorts and searches. */
const VIEWS: readonly string[] = [
  'orders?status=active',
  'orders?status=completed',
  'orders?status=canceled',
  'orders?sort=budget',
  'orders?sort=end',
  'orders?search=brand',
  'orders?search=nothing-of-the-kind',
  'orders?product=news',
  'creatives?status=approved',
  'products?search=news',
  'buyers/buyer',
  'reports?by=order',
  'reports?by=buyer',
  'reports?by=advertiser',
  'reports?by=day',
  'activity?what=orders.pause',
  'webhooks?state=dead',
]

/** What is no page, or takes something that not every publisher has. */
const NO_PAGE = /^live$|\.(?:csv|xlsx)$|\{/

/** Every page of a publisher that needs no id, from the route table, and views of its lists. */
export const CONSOLE_PAGES: readonly string[] = [
  ...consoleRouteTable()
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path.replace('/t/{tenant}/', ''))
    .filter((path) => !path.startsWith('/') && !NO_PAGE.test(path)),
  ...VIEWS,
]
