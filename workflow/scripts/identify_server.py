"""Ask a standing server which model it has; from then on it must stay that one."""

import asyncio
import json
from datetime import UTC, datetime

from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.engines.factory import ask_fingerprint
from repairstudy.store import replacing


def main(config, model, out_record, progress):
    section = parse_study(config, "configuration").models[model]
    found = asyncio.run(
        ask_fingerprint(
            section.url,
            section.served_name or model,
            api_key_env=section.api_key_env,
            api_key_file=section.api_key_file,
            chat=section.chat == "messages",
            strict=section.fingerprint == "strict",
        )
    )
    record = {"model": model, "asked": datetime.now(UTC).isoformat(), **found.to_json()}
    with replacing(out_record) as temporary:
        temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    progress.write(f"model {model}: fingerprint {found.hash}\n")


if __name__ == "__main__":
    with job(snakemake.log[0], f"identify {snakemake.wildcards.model}") as out:
        main(
            config=snakemake.params.config,
            model=snakemake.wildcards.model,
            out_record=snakemake.output.record,
            progress=out,
        )
