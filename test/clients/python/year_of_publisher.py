"""Recomputes every amount of the year that `npm run story` plays, from what was sold, counted and done, and compares it with the invoices that the program wrote.

Reads FILE (what `npm run story -- --json` prints) and prints one JSON object: how many invoices, lines and amounts were compared, and `differences`, each in words. It ends
with 1 where there are any. The rules are those of docs/publisher.md; nothing here is of the program. Amounts are exact decimals.

    python year_of_publisher.py FILE [SHEET]

SHEET is what --csv wrote: its formulas are computed as a spreadsheet computes them, and every difference that it shows is one here.
"""

import csv
import datetime
import decimal
import json
import re
import sys
from collections import defaultdict
from decimal import Decimal

decimal.getcontext().prec = 50
MICRO = Decimal("0.000001")
MINOR = Decimal("0.01")
HOUR = datetime.timedelta(hours=1)
DAY = datetime.timedelta(days=1)
UTC = datetime.timezone.utc
EU = set("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split())


def cut(amount):
    """To the millionth, towards zero."""
    return amount.quantize(MICRO, rounding=decimal.ROUND_DOWN)


def payable(amount):
    """To the smallest amount, a half away from zero."""
    return amount.quantize(MINOR, rounding=decimal.ROUND_HALF_UP)


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def last_sunday(year, month):
    day = datetime.date(year, month, 31)
    return day - datetime.timedelta(days=(day.weekday() + 1) % 7)


def stockholm(at):
    """The wall clock of Stockholm: an hour before UTC, two from the last Sunday of March to that of October, changed at 01:00 UTC."""
    summer, winter = (datetime.datetime.combine(last_sunday(at.year, month), datetime.time(1), UTC) for month in (3, 10))
    return at + (2 if summer <= at < winter else 1) * HOUR


def month_of(period):
    """The month of the publisher that a counted hour is in; a day that an ad server reports is of its own name."""
    if len(period) == 10:
        return period[:7]
    return stockholm(moment(period + ":00:00Z")).strftime("%Y-%m")


def next_month(month):
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12}-{number % 12 + 1:02d}"


def day_of(at):
    return stockholm(moment(at)).strftime("%Y-%m-%d")


class Line:
    """A line with what is counted of it by now, and what that costs by month."""

    def __init__(self, order, sold):
        self.order, self.id, self.model = order["order"], sold["line"], sold["model"]
        self.counted_by = order["counted_by"]
        self.counts = {}
        self.start, self.end = moment(sold["starts_at"]), moment(sold["ends_at"])
        self.budget = Decimal(sold["budget"]) if "budget" in sold else None
        self.goal, self.cancellation = sold.get("goal"), sold.get("cancellation")
        self.rate = self.price_of(sold["rate"])
        self.days = (stockholm(self.end - MICROSECOND).date() - stockholm(self.start).date()).days + 1
        # What the whole flight costs.
        self.flat = {"flat_rate": self.rate, "per_day": self.rate * self.days}.get(self.model)

    @staticmethod
    def price_of(rate):
        """The fixed price; the bid; or the published median where the option clears at it, no less than the floor and no more than the bid."""
        if isinstance(rate, str):
            return Decimal(rate)
        floor, median, bid = (Decimal(rate[name]) for name in ("floor", "median", "bid"))
        return min(bid, max(floor, median)) if rate["clearing"] else bid

    def units(self, count):
        return count["clicks"] if self.model == "cpc" else count["impressions"]

    def of_units(self, units):
        return cut(units * self.rate / (1000 if self.model == "cpm" else 1))

    def earned(self, now):
        """What is charged by month: gross amounts and billed units."""
        amounts, quantities = defaultdict(Decimal), defaultdict(int)
        for period, count in self.counts.items():
            quantities[month_of(period)] += self.units(count)
        if self.counted_by == "day":
            for period, count in self.counts.items():
                if self.flat is None:
                    amounts[month_of(period)] += self.of_units(self.units(count))
                elif count["impressions"] > 0:
                    amounts[month_of(period)] += self.rate
            return amounts, quantities
        before, units, shown = Decimal(0), 0, sorted(period for period, count in self.counts.items() if any_of(count))
        for period in shown if self.flat is None else hours_from(shown, min(now, self.end)):
            if self.flat is None:
                units += self.units(self.counts[period])
                due = self.of_units(units) if self.budget is None else min(self.budget, self.of_units(units))
            else:
                # Evenly by days of Stockholm once something was shown: the day of 25 hours, or of 23, is one day.
                ends = min(moment(period + ":00:00Z") + HOUR, now, self.end)
                due = cut(self.flat * days_between(self.start, ends) / days_between(self.start, self.end))
            amounts[month_of(period)] += due - before
            before = due
        return amounts, quantities

    def missing_share(self):
        shown = sum(count["impressions"] for count in self.counts.values())
        return Decimal(max(0, self.goal - shown)) / self.goal


MICROSECOND = datetime.timedelta(microseconds=1)


def hours_from(shown, until):
    """Every hour from the first of these to a moment, as they are written."""
    at = moment(shown[0] + ":00:00Z") if shown else until
    while at < until:
        yield at.strftime("%Y-%m-%dT%H")
        at += HOUR


def any_of(count):
    return count["impressions"] > 0 or count["clicks"] > 0


def days_between(start, end):
    """Days of Stockholm between two moments: whole ones, and of those that they have in part the share of their hours."""
    return days_until(end) - days_until(start)


def days_until(at):
    day = stockholm(at).date()
    first, last = midnight(day), midnight(day + DAY)
    return day.toordinal() + seconds(at - first) / seconds(last - first)


def midnight(day):
    """The moment at which a day of Stockholm begins; clocks change after it."""
    return next(at for hours in (1, 2) for at in [datetime.datetime.combine(day, datetime.time(), UTC) - hours * HOUR] if stockholm(at).date() == day and stockholm(at).hour == 0)


def seconds(length):
    return Decimal(int(length.total_seconds()))


class Books:
    """The year by its own rules: what each invoice and credit note has to hold."""

    def __init__(self, facts):
        self.facts = facts
        self.parties = {party["party"]: party for party in facts["parties"]}
        self.lines = {sold["line"]: Line(order, sold) for order in facts["orders"] for sold in order["lines"]}
        self.payer = {order["order"]: order["party"] for order in facts["orders"]}
        self.terms = defaultdict(lambda: (Decimal(0), Decimal(0)))
        # Of each line and month of service: billed entries (party, amount, units, terms).
        self.billed = defaultdict(list)
        self.charges = []
        self.written = {}
        self.payments = {}
        self.closed = []
        # Billing begins with the first month that is closed.
        self.first = next(act["month"] for act in facts["acts"] if act["act"] == "close")
        self.counts = sorted(facts["counts"], key=lambda count: count["at"])

    def play(self):
        at = 0
        for act in self.facts["acts"]:
            while at < len(self.counts) and self.counts[at]["at"] <= act["at"]:
                count = self.counts[at]
                self.lines[count["line"]].counts[count["period"]] = count
                at += 1
            getattr(self, "do_" + act["act"])(act)

    def do_terms(self, act):
        self.terms[act["order"]] = (Decimal(act["discount"]), Decimal(act["commission"]))

    def do_bill_to(self, act):
        self.payer[act["order"]] = act["party"]

    def do_charge(self, act):
        self.add_charge(act, None, Decimal(act["amount"]))

    def add_charge(self, act, line, amount):
        self.charges.append({"order": act["order"], "line": line, "amount": amount, "at": act["at"], "open": True})

    def do_cancel(self, act):
        for line in self.lines.values():
            if line.order != act["order"] or line.cancellation is None:
                continue
            notice = line.start - line.cancellation["notice_days"] * DAY
            if moment(act["at"]) <= notice:
                continue
            spent = sum(line.earned(moment(act["at"]))[0].values())
            rest = max(Decimal(0), line.budget - spent)
            self.add_charge(act, line.id, payable(rest * Decimal(line.cancellation["percent_of_rest"]) / 100))

    def do_make_good(self, act):
        line = self.lines[act["line"]]
        share = (line.flat * line.missing_share()).quantize(MINOR, rounding=decimal.ROUND_DOWN)
        self.add_charge(act, line.id, -share)

    def due(self, now, last):
        """What is to be billed of each line and month until `last`, less what was billed: (line, month) -> (party, amount, units)."""
        services = {}
        for line in self.lines.values():
            if self.payer[line.order] is None:
                continue
            amounts, units = line.earned(now)
            keys = {*amounts, *units, *(month for of, month in self.billed if of == line.id)}
            for month in keys:
                if month > last or month < self.first:
                    continue
                entries = self.billed[line.id, month]
                amount = amounts[month] - sum(entry["amount"] for entry in entries)
                count = units[month] - sum(entry["units"] for entry in entries)
                if amount == 0 and count == 0:
                    continue
                services[line.id, month] = {"party": self.billed_party(line, entries), "amount": amount, "units": count}
        return services

    def billed_party(self, line, entries):
        """Who was billed last and did not get all of it back; else who pays for the order now."""
        sums = {}
        for entry in entries:
            amount, units = sums.get(entry["party"], (Decimal(0), 0))
            sums[entry["party"]] = (amount + entry["amount"], units + entry["units"])
        left = [party for party, (amount, units) in sums.items() if amount != 0 or units != 0]
        return left[-1] if left else self.payer[line.order]

    def terms_of(self, line, month):
        """Discount and commission: those of the invoice that billed it; of what is billed first, or anew, those of the order."""
        entries = self.billed[line, month]
        if not entries or entries[-1]["reopened"]:
            return self.terms[self.lines[line].order]
        return entries[-1]["terms"]

    def line_of(self, line, month, service, kind):
        discount, commission = self.terms_of(line, month)
        gross = service["amount"]
        off = cut(gross * discount / 100)
        share = cut((gross - off) * commission / 100)
        return {
            "line": line, "order": self.lines[line].order, "month": month, "kind": kind, "gross": gross,
            "discount": off, "commission": share, "amount": gross - off - share, "units": service["units"],
            "terms": (discount, commission),
        }

    def bill(self, service, said, number):
        entry = {"party": service["party"], "amount": service["amount"], "units": service["units"]}
        self.billed[said["line"], said["month"]].append({**entry, "terms": said["terms"], "reopened": False, "invoice": number})

    def do_close(self, act):
        month, now = act["month"], moment(act["at"])
        books = defaultdict(lambda: {"lines": [], "services": [], "charges": []})
        for (line, of), service in self.due(now, month).items():
            book = books[service["party"]]
            said = self.line_of(line, of, service, "delivery" if of == month else "adjustment")
            book["lines"].append(said)
            book["services"].append((service, said))
        for charge in self.charges:
            if charge["open"] and day_of(charge["at"])[:7] <= month:
                book = books[self.payer[charge["order"]]]
                book["charges"].append(charge)
                book["lines"].append(plain(charge["line"], charge["order"], day_of(charge["at"])[:7], charge["amount"]))
        for party, book in books.items():
            invoice = self.write(party, month, book["lines"], act)
            for service, said in book["services"]:
                self.bill(service, said, (party, month))
            for charge in book["charges"]:
                charge["open"], charge["invoice"] = False, (party, month)
            self.written[party, month, None] = {**invoice, "services": book["services"]}
        self.closed.append(month)

    def write(self, party, month, lines, act):
        total = sum((line["amount"] for line in lines), Decimal(0))
        net = payable(total)
        tax = payable(net * self.tax_percent(party) / 100)
        day = datetime.date.fromisoformat(day_of(act["at"])) + self.facts["publisher"]["payment_days"] * DAY
        return {"lines": lines, "total": total, "tax": tax, "payable": net + tax, "day": day_of(act["at"]), "due": day.isoformat(), "party": party}

    def tax_percent(self, party):
        """At home the rate of the country; within the Union nothing for businesses, who owe it themselves, and the seller's rate for others; nothing elsewhere."""
        home, there = self.facts["publisher"]["country"], self.parties[party]["country"]
        rate = Decimal(self.facts["publisher"]["vat_percent"])
        if there == home:
            return rate
        return rate if there in EU and not self.parties[party]["vat_id"] else Decimal(0)

    def do_credit(self, act):
        known = self.by_number[act["invoice"]]
        party, month = known["account"], known["month"]
        invoice = self.written[party, month, None]
        notes = sum(1 for key in self.written if key[:2] == (party, month) and key[2] is not None)
        lines, services = [], []
        if act["what"] == "all":
            for service, said in invoice["services"]:
                # Nothing of it is billed then.
                self.billed[said["line"], said["month"]].append(
                    {"party": party, "amount": -service["amount"], "units": -service["units"], "terms": said["terms"], "reopened": True, "invoice": None}
                )
            for charge in self.charges:
                if charge.get("invoice") == (party, month):
                    charge["open"] = True
            lines = [{**line, **{name: -line[name] for name in ("gross", "discount", "commission", "amount", "units")}} for line in invoice["lines"]]
        elif act["what"] == "corrections":
            mine = {(said["line"], said["month"]) for _, said in invoice["services"]}
            for key, service in self.due(moment(act["at"]), self.closed[-1]).items():
                if key in mine and service["party"] == party:
                    said = self.line_of(*key, service, "adjustment")
                    lines.append(said)
                    self.bill(service, said, (party, month))
        else:
            first = known["lines"][0]
            line = next(each["line"] for each in invoice["lines"] if each["line"] and each["line"].endswith(first["package_id"]))
            lines = [plain(line, first["media_buy_id"], first["service_month"], -Decimal(act["amount"]))]
        self.written[party, month, notes + 1] = self.write(party, month, lines, act)

    def do_pay(self, act):
        self.payments[act["payment"]] = {"invoice": act["invoice"], "amount": Decimal(act["amount"]), "day": act["day"]}

    def do_take_back(self, act):
        del self.payments[act["payment"]]

    @property
    def by_number(self):
        return {invoice["invoice_id"]: invoice for invoice in self.facts["invoices"]}

    def settled(self, numbers):
        """What is open of each invoice: its own credit notes and payments first, then what else the account has, the oldest invoice first."""
        open_amounts = {}
        for party in {invoice["party"] for invoice in self.written.values()}:
            mine = [(key, invoice) for key, invoice in self.written.items() if key[0] == party]
            asked = sorted(((key, invoice) for key, invoice in mine if key[2] is None and invoice["payable"] >= 0), key=lambda each: each[0][1])
            pool, left = Decimal(0), {}
            for key, invoice in asked:
                own = sum((payment["amount"] for payment in self.payments.values() if payment["invoice"] == numbers[key]), Decimal(0))
                own += sum((-note["payable"] for of, note in mine if of[:2] == key[:2] and of[2] is not None), Decimal(0))
                left[key] = max(Decimal(0), invoice["payable"] - own)
                pool += max(Decimal(0), own - invoice["payable"])
            pool += sum((-invoice["payable"] for key, invoice in mine if key[2] is None and invoice["payable"] < 0), Decimal(0))
            for key, _ in asked:
                drawn = min(pool, left[key])
                pool -= drawn
                open_amounts[key] = left[key] - drawn
        return open_amounts


def plain(line, order, month, amount):
    """A charge or a credit: an amount alone."""
    kind = "credit" if amount < 0 else "charge"
    none = {"discount": Decimal(0), "commission": Decimal(0), "units": None, "terms": None}
    return {"line": line, "order": order, "month": month, "kind": kind, "gross": amount, "amount": amount, **none}


class Comparison:
    def __init__(self):
        self.amounts, self.lines, self.differences = 0, 0, []

    def same(self, where, what, ours, theirs):
        self.amounts += 1
        if ours != theirs:
            self.differences.append(f"{where}: {what} is {theirs}, by this calculation {ours}")


def compare(books, facts):
    found = Comparison()
    shown, numbers = {}, {}
    for invoice in facts["invoices"]:
        note = invoice["invoice_id"].partition("-C")[2]
        key = (invoice["account"], invoice["month"], int(note) if note else None)
        shown[key], numbers[key] = invoice, invoice["invoice_id"]
    for key in shown.keys() | books.written.keys():
        where = numbers.get(key) or " ".join(str(part) for part in key)
        if key not in shown or key not in books.written:
            found.differences.append(f"{where}: is {'not written' if key not in shown else 'written and not due'}")
            continue
        ours, theirs = books.written[key], shown[key]
        for name in ("total", "tax", "payable"):
            found.same(where, name, ours[name], Decimal(theirs[name]))
        found.same(where, "the day", ours["day"], theirs["issued_on"])
        if theirs["kind"] == "invoice":
            found.same(where, "the day on which it is due", ours["due"], theirs["due_on"])
        compare_lines(found, where, books, ours["lines"], theirs["lines"])
    for key, left in books.settled(numbers).items():
        if key in shown:
            found.same(numbers[key], "open", left, Decimal(shown[key]["open"]))
    return found


def compare_lines(found, where, books, ours, theirs):
    rest = list(theirs)
    for line in ours:
        found.lines += 1
        match = next((each for each in rest if is_same(line, each)), None)
        if match is None:
            found.differences.append(f"{where}: has no line {line['kind']} {line['line'] or line['order']} of {line['month']}")
            continue
        rest.remove(match)
        name = f"{match['kind']} {match['package_id'] or match['media_buy_id']} of {match['service_month']}"
        for member in ("gross", "discount", "commission", "amount"):
            found.same(where, f"{member} of {name}", line[member], Decimal(match[member]))
        sold = books.lines.get(line["line"])
        if line["units"] is not None and sold.flat is None:
            found.same(where, f"quantity of {name}", Decimal(line["units"]), Decimal(match["quantity"] or 0))
        compare_price(found, where, name, match, sold)
    for line in rest:
        found.differences.append(f"{where}: has a line that is not due: {line['kind']} {line['package_id']} of {line['service_month']}, {line['amount']}")
    for line in theirs:
        if line["gross"] - line["discount"] - line["commission"] != line["amount"]:
            found.differences.append(f"{where}: {line['package_id']} of {line['service_month']} does not add up")
    payables = sum((Decimal(line["payable"]) for line in theirs), Decimal(0))
    found.same(where, "the sum of its rounded lines", payable(sum((line["amount"] for line in ours), Decimal(0))), payables)
    found.same(where, "the sum of its lines", sum((line["amount"] for line in ours), Decimal(0)), sum((Decimal(line["amount"]) for line in theirs), Decimal(0)))


def is_same(ours, theirs):
    if (ours["kind"], ours["order"], ours["month"]) != (theirs["kind"], theirs["media_buy_id"], theirs["service_month"]):
        return False
    return not ours["line"] or ours["line"] == theirs["package_id"] or ours["line"].endswith("/" + theirs["package_id"])


def compare_price(found, where, name, line, sold):
    """Quantity x rate is the amount as the line says it, to half of the smallest amount: the amounts of single days are cut to the micro, and a share of a flight is said in days, hours or per cent."""
    if line["quantity"] is None or line["rate"] is None:
        return
    found.amounts += 1
    exact = Decimal(line["quantity"]) * Decimal(line["rate"]) / Decimal(line["rate_units"])
    if abs(exact - Decimal(line["gross"])) > MINOR / 2:
        found.differences.append(f"{where}: {name}: {line['quantity']} x {line['rate']} / {line['rate_units']} is {exact}, not {line['gross']}")



class Sheet:
    """The few functions that the sheet uses, over its cells."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.rows = list(csv.reader(file))
        self.values, self.formulas = {}, 0

    def cell(self, column, row):
        key = column, row
        if key not in self.values:
            line = self.rows[row - 1]
            at = ord(column) - ord("A")
            self.values[key] = self.value(line[at] if at < len(line) else "")
        return self.values[key]

    def value(self, text):
        if not text.startswith("="):
            return Decimal(text) if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", text) else text
        self.formulas += 1
        ranged = re.sub(r"\b([A-Z])(\d+):\1(\d+)\b", r'area("\1",\2,\3)', text[1:])
        cells = re.sub(r"\b([A-Z])(\d+)\b", r'cell("\1",\2)', ranged)
        exact = re.sub(r"(?<=/)100\b", "Decimal(100)", cells)
        names = {"cell": self.cell, "area": self.area, "Decimal": Decimal, "SUM": sum, "SUMIF": sum_if, "ROUND": rounded, "ROUNDDOWN": rounded_down}
        return eval(exact, {"__builtins__": {}}, names)

    def area(self, column, first, last):
        return [self.cell(column, row) for row in range(first, last + 1)]

    def differences(self):
        """Rows of invoices, and of the sums of the year, whose computed amount is not what the program wrote."""
        heads = next(at for at, row in enumerate(self.rows) if row[-1:] == ["difference"])
        return [f"sheet, row {row}: {self.cell('A', row)} differs by {self.cell('M', row)}" for row in range(heads + 2, len(self.rows) + 1) if self.cell("M", row) != 0]


def sum_if(keys, key, values):
    return sum((value for other, value in zip(keys, values) if other == key), Decimal(0))


def rounded(amount, digits):
    return amount.quantize(Decimal(1).scaleb(-digits), rounding=decimal.ROUND_HALF_UP)


def rounded_down(amount, digits):
    return amount.quantize(Decimal(1).scaleb(-digits), rounding=decimal.ROUND_DOWN)


def main(path, sheet_path=None):
    with open(path, encoding="utf-8") as file:
        facts = json.load(file, parse_float=Decimal)
    closes = [act["month"] for act in facts["acts"] if act["act"] == "close"]
    books = Books(facts)
    books.play()
    found = compare(books, facts)
    formulas = 0
    if sheet_path is not None:
        sheet = Sheet(sheet_path)
        found.differences += sheet.differences()
        formulas = sheet.formulas
    print(json.dumps({
        "months": len(closes), "invoices": len(facts["invoices"]), "lines": found.lines, "amounts": found.amounts, "formulas": formulas,
        "differences": found.differences,
    }, ensure_ascii=False, indent=1))
    return 1 if found.differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
